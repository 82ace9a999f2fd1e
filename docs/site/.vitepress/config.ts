import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCssVariablesTheme } from 'shiki';
import { defineConfig } from 'vitepress';
import { siteLinks, steadyCode } from '../links.ts';
import { hasMarkdown, writeForModels } from '../llms.ts';
import { descriptionOf, fragmentOf, leadOf, others, repository, root, routeOf, titleOf } from '../pages.ts';
import { indexOptions, sectionsOf } from '../sections.ts';
import { reference, sidebar } from '../sidebar.ts';

// Where the site is, such as https://eaas.example/docs/. Without it, the addresses of llms.txt have no host.
const site = process.env.SITE_URL ?? '/';
const base = new URL(site, 'http://localhost').pathname;
// The home page begins with the title and the first paragraph of the README.
const [name = '', title = name] = titleOf('README.md').split(/: (.*)/);
const front = {
  titleTemplate: title.charAt(0).toUpperCase() + title.slice(1),
  description: descriptionOf('README.md'),
  lead: leadOf('README.md'),
};
const icon = readFileSync(`${root}packages/console/src/icon.svg`, 'utf8').trim();

export default defineConfig({
  title: 'Eaas',
  description: descriptionOf('README.md'),
  base,
  srcDir: root,
  srcExclude: others,
  rewrites: routeOf,
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  cleanUrls: true,
  metaChunk: true,
  router: { prefetchLinks: false },
  // Servers that a reader starts. Every other dead link ends the build.
  ignoreDeadLinks: 'localhostLinks',
  head: [
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }],
    ['meta', { name: 'referrer', content: 'no-referrer' }],
  ],
  markdown: {
    theme: createCssVariablesTheme({ name: 'console' }),
    languageAlias: { haproxy: 'ini' },
    attrs: { disable: true },
    anchor: { slugify: fragmentOf },
    config: (md) => {
      md.disable('emoji');
      md.use(siteLinks);
      md.use(steadyCode);
    },
  },
  themeConfig: {
    siteTitle: 'Eaas',
    nav: [
      { text: 'Build', link: '/pages#build' },
      { text: 'Operate', link: '/operating/' },
      { text: 'Check', link: '/pages#check' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Playground', link: '/playground' },
    ],
    sidebar: [...sidebar(), ...reference()],
    outline: [2, 3],
    notFound: {
      title: 'No page has this address',
      quote: 'It has moved, or the address has a typing error. Search for it above, or start again:',
      linkLabel: 'Start page',
      linkText: 'Start page',
    },
    search: {
      provider: 'local',
      options: {
        translations: { button: { buttonText: 'Search the docs', buttonAriaLabel: 'Search the docs' } },
        _render: () => '',
        // Functions stay in a prototype: VitePress would send those of the object itself to the browser, as code to evaluate.
        miniSearch: Object.create({
          options: indexOptions(base),
          _splitIntoSections: (file) => sectionsOf(posix.relative(root, file)),
        }),
      },
    },
    ...(repository && {
      socialLinks: [{ icon: 'github', link: repository }],
      editLink: { text: 'Edit this page', pattern: `${repository}/edit/main/:path` },
    }),
  },
  transformPageData: ({ filePath }) => ({
    title: titleOf(filePath),
    description: descriptionOf(filePath),
    ...(filePath === 'docs/site/index.md' && front),
  }),
  transformHead: ({ page, pageData: { filePath } }) =>
    hasMarkdown(filePath)
      ? [
          [
            'link',
            { rel: 'alternate', type: 'text/markdown', href: base + page.replace(/\/index\.md$/, '.md') },
          ],
        ]
      : [],
  transformHtml: withPolicy,
  buildEnd({ outDir }) {
    writeForModels(outDir, site);
    copyFileSync(`${root}packages/audit/dist/verify.html`, `${outDir}/verify.html`);
  },
  vite: {
    resolve: { conditions: ['@eaas/source'] },
    build: {
      // The index of the search, which is loaded when somebody searches.
      chunkSizeWarningLimit: 2_000,
      rollupOptions: { onwarn: (warning, warn) => warning.code === 'INVALID_ANNOTATION' || warn(warning) },
    },
    plugins: [accessibleSidebar(), steadyLocalNav(), ownSearch(), vueOfTheSite()],
  },
});

/** Adds a policy that allows only the scripts of the page, and no request to another host. */
function withPolicy(html) {
  const inline = html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g);
  const hashes = Array.from(
    inline,
    ([, code]) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html.replace(
    '<meta charset="utf-8">',
    `$&\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
}

/** In the sidebar of VitePress 1.6, a button contains a button, and whoever cannot see does not hear what it does. */
function accessibleSidebar() {
  return changed('accessible-sidebar', 'VPSidebarItem.vue', [
    [':tabindex="item.items && 0"', ':tabindex="item.items && !item.link ? 0 : undefined"'],
    [
      ':role="itemRole"',
      ':role="item.items && itemRole" :aria-expanded="item.items && itemRole && !collapsed"',
    ],
    [
      'role="button"\n        aria-label="toggle section"',
      ':role="item.link && \'button\'" :aria-label="item.link && `Pages below ${item.text}`" :aria-expanded="item.link && !collapsed"',
    ],
    ['tabindex="0"\n', ':tabindex="item.link && 0"\n'],
  ]);
}

/** The button of the headings appears when the page starts: before, it would have another text, and do nothing. */
function steadyLocalNav() {
  return changed('steady-local-nav', 'VPLocalNavOutlineDropdown.vue', [
    [
      `:style="{ '--vp-vh': vh + 'px' }"`,
      `:style="{ '--vp-vh': vh + 'px', visibility: navHeight ? 'visible' : 'hidden' }"`,
    ],
  ]);
}

/** VitePress hands options to its search as JSON, or with `eval`, which the policy refuses: these have functions. */
function ownSearch() {
  const options = JSON.stringify(fileURLToPath(new URL('../search.ts', import.meta.url)));
  return changed('own-search', 'VPLocalSearchBox.vue', [
    ["from 'minisearch'\n", `from 'minisearch'\nimport { searchOptions } from ${options}\n`],
    [
      'fuzzy: 0.2,\n          prefix: true,\n          boost: { title: 4, text: 2, titles: 1 },',
      '...searchOptions,',
    ],
  ]);
}

/** Replaces texts in a file of another package, and ends the build if the file has changed. */
function changed(name, file, replacements) {
  return {
    name,
    enforce: 'pre',
    transform: (code, id) => {
      if (!id.endsWith(`/${file}`)) return undefined;
      return replacements.reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`${file} must contain ${from}: correct the plugin ${name}`);
        return text.replace(from, () => to);
      }, code);
    },
  };
}

/** Pages are outside of the folder that has Vue, so that the server's build would not find it. */
function vueOfTheSite() {
  return {
    name: 'vue-of-the-site',
    enforce: 'pre',
    resolveId: (id, _importer, { ssr }) =>
      ssr && /^vue(?:\/server-renderer)?$/.test(id) ? { id, external: true } : undefined,
  };
}
