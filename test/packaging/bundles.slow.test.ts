// What a page loads of our packages: how many bytes, and nothing that a browser, a Worker or a strict content security policy
// refuses.
import { gzipSync } from 'node:zlib';
import { browserBuild } from '@eaas/test-kit/browser-build';
import { nodesOf, type SyntaxNode } from '@eaas/test-kit/syntax-tree';
import { readFile } from 'node:fs/promises';
import { build, type Plugin } from 'esbuild';
import { expect, test } from 'vitest';

/** Where a file has texts for people: literals of three words and more, which are the texts of errors. */
function textsForPeople(source: string, path: string): (readonly [start: number, end: number])[] {
  const places: (readonly [start: number, end: number])[] = [];
  const isSentence = (text: string): boolean => /\S\s+\S+\s+\S/.test(text);
  for (const node of nodesOf(path, source)) {
    if (node.type === 'Literal' && typeof node['value'] === 'string' && isSentence(node['value'])) {
      places.push([node.start + 1, node.end - 1]);
    }
    if (node.type === 'TemplateLiteral' && isSentence(source.slice(node.start, node.end))) {
      for (const { start, end } of node['quasis'] as readonly SyntaxNode[]) places.push([start, end]);
    }
  }
  return places.toSorted(([a], [b]) => b - a);
}

/** Empties our texts of errors, so that no limit of bytes makes one shorter. */
const withoutTexts: Plugin = {
  name: 'without texts',
  setup(bundling) {
    bundling.onLoad({ filter: /packages\/[^/]+\/dist\/.*\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const [start, end] of textsForPeople(contents, path)) {
        contents = contents.slice(0, start) + contents.slice(end);
      }
      return { contents, loader: 'js' };
    });
  },
};

/** Bundles code, and returns what a page loads before the first call. */
async function bundle(contents: string, more: object = {}): Promise<{ text: string; gzipped: number }> {
  const stdin = { contents, resolveDir: import.meta.dirname };
  const { outputFiles, metafile } = await build({ ...browserBuild, metafile: true, stdin, ...more });
  const { outputs } = metafile;
  const atOnce = new Set(Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === '<stdin>'));
  // Also visits imports of imports, because `for … of` visits names that the loop adds to the set.
  for (const name of atOnce) {
    for (const { path, kind } of outputs[name]?.imports ?? []) {
      if (kind === 'import-statement') atOnce.add(path);
    }
  }
  const names = [...atOnce].map((name) => name.replace(/.*\//, '/'));
  const loaded = outputFiles.filter(({ path }) => names.some((name) => path.endsWith(name)));
  const sizes = loaded.map(({ text }) => gzipSync(text, { level: 9 }).length);
  return {
    text: loaded.map(({ text }) => text).join(''),
    gzipped: sizes.reduce((sum, size) => sum + size, 0),
  };
}

const page = "export { createBrowserClient } from '@eaas/sdk/browser'";

test.each([
  ['the client of a page', page, 21_400],
  ['the client of a Worker', "export { EaasClient } from '@eaas/sdk'", 23_700],
  ['the client of a page with noble', `${page}; export { nobleEngine } from '@eaas/protocol'`, 25_400],
  ['a page that writes', "export { createIntake } from '@eaas/sdk/intake'", 15_200],
])('%s has at most its bytes, with all that the first call needs', async (_, code, most) => {
  const { gzipped } = await bundle(code, { plugins: [withoutTexts] });
  expect(gzipped).toBeLessThanOrEqual(most);
});

test('texts of errors are what is not counted', async () => {
  const { text } = await bundle(page);
  const { text: counted } = await bundle(page, { plugins: [withoutTexts] });
  const sentence = 'the service did not respond in time';
  expect([text.includes(sentence), counted.includes(sentence)]).toEqual([true, false]);
  expect(counted).toContain('eaas_sk_');
});

test.each([
  ...['browser', 'intake', 'passkey', 'fields', 'stream'].map((entry) => `@eaas/sdk/${entry}`),
  ...['', '/internal-base64', '/internal', '/stream', '/audit', '/webcrypto'].map(
    (entry) => `@eaas/protocol${entry}`,
  ),
])('%s needs no module or global of Node and no eval in a browser', async (entry) => {
  const { text } = await bundle(`export * from '${entry}'`);
  expect(text).not.toBe('');
  expect(text).not.toMatch(/\beval\s*\(|\bFunction\s*\(|\bnode:|\brequire\(|\bprocess\./);
});

test('in a Worker, a local service with keys in a variable needs no module of Node', async () => {
  const code = "export { EaasClient } from '@eaas/sdk'; export { createLocalService } from '@eaas/local'";
  const conditions = ['@eaas/source', 'workerd', 'worker'];
  const { text } = await bundle(code, { splitting: false, conditions });
  expect(text).toContain('eaas_local_');
  expect(text).not.toMatch(/\bnode:|\brequire\(/);
  // What asks a key service is loaded only for `open`.
  expect(text).toContain('took longer than 10 s');
  expect((await bundle(code, { conditions })).text).not.toContain('took longer than 10 s');
});

test('an app whose keys are in a variable has nothing of what only a server answers', async () => {
  const withFormats = (formats: string) => `
    export { EaasClient } from '@eaas/sdk';
    export { createIndexKey, defineFields, field, plaintext } from '@eaas/sdk/fields';
    export { withEncryption } from '@eaas/prisma';
    export { createLocalService } from '@eaas/local';
    export ${formats} from '@eaas/migrate/formats';`;
  const options = { platform: 'node', external: ['@prisma/client', 'drizzle-orm'] };
  const one = await bundle(withFormats('{ joined, keyFromScrypt }'), { ...options, splitting: false });
  // node:crypto has no ML-KEM, and all else of noble.
  expect(one.text).not.toMatch(/aes-gcm|sha512/i);
  const { text } = await bundle(withFormats('*'), options);
  expect(text).toContain('eaas local secret v1');
  for (const its of ['quota of encrypt operations', 'API key not found', 'Issuer not found', 'rows_differ']) {
    expect(text).not.toContain(its);
  }
});

test('the browser client does not take an API key, and `createIntake` does not use the network', async () => {
  const { text } = await bundle(page);
  expect(text).not.toContain('eaas_sk_ and 49');
  // Without the client in the bundle, the check above would prove nothing. The client's code contains `eaas_sk_`.
  expect(text).toContain('eaas_sk_');
  const intake = await bundle("export { createIntake } from '@eaas/sdk/intake'");
  expect(intake.text).toContain('eaas_pk_1');
  expect(intake.text).not.toMatch(/\bfetch\b|XMLHttpRequest|apiKey|authorization|bearer/i);
});
