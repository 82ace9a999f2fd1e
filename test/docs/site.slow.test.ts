import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { whereAvailable } from '@eaas/test-kit/available';
import { type Browser, hasChromium, launchChromium } from '@eaas/test-kit/chromium';
import { listening } from '@eaas/test-kit/listening';
import { root } from '@eaas/test-kit/markdown';
import { requireTools } from '@eaas/test-kit/tools';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { playAll, violations } from '../../packages/console/test/steps.ts';

const dist = join(root, 'docs/site/dist');
let all: readonly string[];

beforeAll(async () => {
  await promisify(execFile)('npm', ['run', 'docs:build'], {
    cwd: root,
    env: { ...process.env, SITE_URL: 'https://eaas.example/' },
    shell: process.platform === 'win32',
  });
  all = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
});

/** Returns the file that a static server sends for an address of the site. */
function fileAt(pathname: string): string | undefined {
  const path = join(dist, decodeURIComponent(pathname));
  const candidates = pathname.endsWith('/') ? [join(path, 'index.html')] : [path, `${path}.html`];
  return candidates.find((file) => existsSync(file) && statSync(file).isFile());
}

const valuesOf = (html: string, attribute: string): string[] =>
  Array.from(html.matchAll(new RegExp(` ${attribute}="([^"]+)"`, 'g')), ([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  );

const ids = new Map<string, ReadonlySet<string>>();
function idsIn(file: string): ReadonlySet<string> {
  const known = ids.get(file) ?? new Set(valuesOf(readFileSync(file, 'utf8'), 'id'));
  ids.set(file, known);
  return known;
}

test('every link of every page leads to a page, and to a heading that this page has', () => {
  const pages = all.filter((name) => name.endsWith('.html') && name !== '404.html');
  expect(all).toContain('verify.html');
  expect(pages.length).toBeGreaterThan(100);
  const dead = pages.flatMap((page) =>
    valuesOf(readFileSync(join(dist, page), 'utf8'), 'href').flatMap((href) => {
      const url = new URL(href, `https://eaas.example/${page}`);
      if (url.origin !== 'https://eaas.example') return [];
      const file = href.startsWith('#') ? join(dist, page) : fileAt(url.pathname);
      const fragment = decodeURIComponent(url.hash.slice(1));
      const isFound = file && (fragment === '' || idsIn(file).has(fragment));
      return isFound ? [] : [`${page}: ${href}`];
    }),
  );
  expect([...new Set(dead)]).toEqual([]);
});

test('every section that the search finds is in its page', () => {
  const name = all.find((path) => path.includes('/@localSearchIndex')) ?? '';
  const sections = [...readFileSync(join(dist, name), 'utf8').matchAll(/"(\/[\w./-]*)#([^"]*)"/g)];
  expect(sections.length).toBeGreaterThan(700);
  const dead = sections.filter(([, path = '', id]) => !idsIn(fileAt(path) ?? 'no file').has(id ?? ''));
  expect(dead.map(([link]) => link)).toEqual([]);
});

test('every page is also there as Markdown, beside llms.txt and llms-full.txt', () => {
  const index = readFileSync(join(dist, 'llms.txt'), 'utf8');
  const urls = Array.from(index.matchAll(/\]\(https:\/\/eaas\.example(\S+)\)/g), ([, path = '']) => path);
  expect(urls.length).toBeGreaterThan(90);
  expect(urls.filter((path) => !/^(?:---|# )/.test(readFileSync(join(dist, path), 'utf8')))).toEqual([]);
  const links = urls.flatMap((path) =>
    Array.from(
      readFileSync(join(dist, path), 'utf8').matchAll(/\]\(https:\/\/eaas\.example([^)#\s]+)/g),
      ([, link = '']) => link,
    ),
  );
  expect(links.filter((link) => fileAt(link) === undefined)).toEqual([]);
  expect(all).toContain('llms-full.txt');
});

const site = await serve();

whereAvailable('Chromium', hasChromium, () => {
  let launched: { readonly browser: Browser; readonly close: () => Promise<void> };
  let axe: string;

  beforeAll(async () => {
    axe = readFileSync(join(await requireTools('test/tools/console'), 'axe-core/axe.min.js'), 'utf8');
    launched = await launchChromium();
  });

  afterAll(() => launched.close());

  async function openPage(options: object = {}) {
    const page = await launched.browser.newPage({ locale: 'en-US', reducedMotion: 'reduce', ...options });
    onTestFinished(() => page.close());
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => requests.push(request.url()));
    const open = async (path: string): Promise<void> => {
      await page.goto(site + path);
      await page.getByRole('heading').first().waitFor();
    };
    return { page, open, complaints, requests };
  }

  const kinds = ['/', '/sdk/', '/reference/audit', '/operating/runbook', '/pages'];

  test.each(['light', 'dark'] as const)(
    'no page breaks a rule of accessibility in %s mode',
    async (scheme) => {
      const { page, open, complaints } = await openPage({ colorScheme: scheme });
      await page.addInitScript({ content: axe });
      for (const path of [...kinds, '/playground']) {
        await open(path);
        if (path === '/playground') await playAll(page);
        expect({ path, found: await violations(page) }).toEqual({ path, found: [] });
      }
      expect(await page.evaluate('document.documentElement.classList.contains("dark")')).toBe(
        scheme === 'dark',
      );
      // Chromium reports here what the content security policy refuses.
      expect(complaints).toEqual([]);
    },
  );

  test('no page scrolls sideways on a phone', async () => {
    const { page, open } = await openPage({ viewport: { width: 390, height: 844 } });
    const wide: string[] = [];
    for (const path of kinds) {
      await open(path);
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wide.push(path);
    }
    expect(wide).toEqual([]);
  });

  test('a page can be read without JavaScript', async () => {
    const { page, open } = await openPage({ javaScriptEnabled: false });
    await open('/sdk/fields');
    expect(await page.getByRole('heading', { name: 'Row ids' }).count()).toBe(1);
    await open('/playground');
    expect(await page.locator('body').innerText()).toContain('needs JavaScript');
  });

  test('the search opens what it finds first, and shows titles without the other words of a page', async () => {
    const { page, open, complaints } = await openPage();
    const found: object[] = [];
    for (const query of ['rotate a key', 'price', 'encryptedTable']) {
      await open('/');
      const input = page.locator('#localsearch-input');
      // Until the page listens, nothing happens.
      while ((await input.count()) === 0) await page.keyboard.press('Control+k');
      await input.fill(query);
      const first = page.locator('#localsearch-list a').first();
      const title = (await first.innerText()).replace('#', '').trim();
      await first.click();
      await input.waitFor({ state: 'hidden' });
      found.push({ query, title, path: new URL(page.url()).pathname });
      await page.evaluate('sessionStorage.clear()');
    }
    expect(found).toEqual([
      {
        query: 'rotate a key',
        title: 'Migrate a table: encrypt its columns, rotate or change its key',
        path: '/migrate/tables',
      },
      { query: 'price', title: 'What it costs', path: '/costs' },
      { query: 'encryptedTable', title: '@eaas/drizzle', path: '/drizzle/' },
    ]);
    expect(complaints).toEqual([]);
  });

  test('the playground plays all its steps in the page, and no request leaves it', async () => {
    const { page, open, complaints, requests } = await openPage();
    await open('/');
    const start = page.getByRole('button', { name: 'Start the playground' });
    await start.click();
    await page.getByText('The chain holds.').first().waitFor();
    await playAll(page);
    expect(await page.locator('output').first().innerText()).toBe('ada@example.com');
    expect(requests.filter((url) => !url.startsWith(site) && !url.startsWith('data:'))).toEqual([]);
    expect(requests.filter((url) => url.includes('/v1/'))).toEqual([]);
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toMatch(/eaas_sk_|ada@/);
    expect(complaints).toEqual([]);
  });
});

/** Serves the site as a static host does. */
async function serve() {
  const types: Readonly<Record<string, string>> = {
    html: 'text/html; charset=utf-8',
    js: 'text/javascript',
    css: 'text/css',
    svg: 'image/svg+xml',
    png: 'image/png',
  };
  const server = createServer(({ url = '/' }, response) => {
    const file = fileAt(new URL(url, 'http://site').pathname);
    if (!file) return void response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': types[file.replace(/.*\./, '')] ?? 'text/plain; charset=utf-8',
    });
    return void response.end(readFileSync(file));
  });
  return `http://127.0.0.1:${await listening(server)}`;
}
