import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { files, importsOf, type SourceFile, sources } from './files.ts';

const packageOf = ({ path }: SourceFile): string => path.split('/')[1] ?? '';
const isRelative = (specifier: string): boolean => specifier.startsWith('.');
/** Where a text stands: path and line, for people to click. */
const places = (among: readonly SourceFile[], pattern: RegExp): string[] =>
  among.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );

test('the packages depend one way: sdk and server on protocol, which depends on neither', () => {
  const wrong = sources.flatMap((file) => {
    const siblings = importsOf(file).filter((specifier) => specifier.startsWith('@eaas/'));
    const allowed = packageOf(file) === 'protocol' ? /^$/ : /^@eaas\/protocol(?:\/|$)/;
    return siblings.filter((sibling) => !allowed.test(sibling)).map((sibling) => `${file.path}: ${sibling}`);
  });
  expect(wrong).toEqual([]);
});

test('no source leaves its package by a relative import', () => {
  const wrong = sources.flatMap((file) =>
    importsOf(file)
      .filter(isRelative)
      .filter((specifier) => !targetOf(file, specifier).startsWith(`packages/${packageOf(file)}/`))
      .map((specifier) => `${file.path}: ${specifier}`),
  );
  expect(wrong).toEqual([]);
});

// The server's folders: each may import those that stand lower, and none beside it.
const heights: Readonly<Record<string, number>> = {
  cli: 4,
  http: 3,
  jobs: 3,
  operations: 2,
  state: 1,
  store: 0,
  crypto: 0,
  embedded: 0,
};

test('the server imports downwards: http, jobs, cli -> operations -> state -> store, crypto', () => {
  const folderOf = (path: string): string => /^packages\/server\/src\/([^/]+)\//.exec(path)?.[1] ?? '';
  const wrong = sources.flatMap((file) => {
    const from = folderOf(file.path);
    return importsOf(file)
      .filter(isRelative)
      .map((specifier) => folderOf(targetOf(file, specifier)))
      .filter((to) => from !== '' && to !== '' && to !== from && !(heightOf(to) < heightOf(from)))
      .map((to) => `${file.path} imports ${to}`);
  });
  expect(wrong).toEqual([]);
});

test('every folder of the server has its place in that order', () => {
  const server = sources.map(({ path }) => /^packages\/server\/src\/([^/]+)\//.exec(path)?.[1]);
  expect(new Set(server.filter((folder) => folder && !(folder in heights)))).toEqual(new Set());
});

function heightOf(folder: string): number {
  return heights[folder] ?? Number.NaN;
}

function targetOf({ path }: SourceFile, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

test('a source file fits on a few screens: 200 lines', () => {
  const long = sources
    .filter(({ lines }) => lines.length > 200)
    .map(({ path, lines }) => `${path}: ${lines.length}`);
  expect(long).toEqual([]);
});

test('the environment is read in one file', () => {
  const config = 'packages/server/src/config.ts';
  expect(
    places(
      sources.filter(({ path }) => path !== config),
      /\bprocess\.env\b|\benv\b.*'node:process'/,
    ),
  ).toEqual([]);
});

test('ciphers are called in the engines and in the crypto of the server, nowhere else', () => {
  const others = sources.filter(
    ({ path }) => !/^packages\/(?:protocol\/src\/engines|server\/src\/crypto)\//.test(path),
  );
  expect(places(others, /createCipheriv|createDecipheriv|\bgcm\(/)).toEqual([]);
});

test('exports are named one by one', () => {
  expect(places(sources, /^\s*export \*/)).toEqual([]);
});

test('a file is named after what it holds', () => {
  const vague = /^(?:utils?|helpers?|common|misc|manager)\b|[-.](?:utils?|helpers?|manager)\./;
  expect(files.map(({ path }) => path).filter((path) => vague.test(posix.basename(path)))).toEqual([]);
});

test('index.ts is the entry of a package and nothing else', () => {
  const manifests = files.filter(({ path }) => /^packages\/[^/]+\/package\.json$/.test(path));
  const entries = manifests.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/"\.\/(src\/[^"]+)"/g), ([, entry]) =>
      posix.join(posix.dirname(path), entry ?? ''),
    ),
  );
  const indexes = sources.map(({ path }) => path).filter((path) => path.endsWith('/index.ts'));
  expect(entries).toEqual(expect.arrayContaining(indexes));
});

test('only the command line prints', () => {
  const others = sources.filter(({ path }) => !path.startsWith('packages/server/src/cli/'));
  expect(places(others, /\bconsole\.\w/)).toEqual([]);
});

test('a relative import names the file, extension and all', () => {
  const code = files.filter(({ path }) => /\.(?:ts|mjs)$/.test(path));
  const wrong = code.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => isRelative(specifier) && !/\.(?:ts|mjs|js|json)$/.test(specifier))
      .map((specifier) => `${file.path}: ${specifier}`),
  );
  expect(wrong).toEqual([]);
});

test('no file names the machine or the folders that it was written in', () => {
  expect(places(files, /\.\.\/share[d]|\/wor[k]\//)).toEqual([]);
});
