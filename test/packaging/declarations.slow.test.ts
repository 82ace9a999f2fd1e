// Apps that emit declarations, such as the packages of a monorepo: TypeScript must be able to name whatever they export of
// ours. And apps that check our declarations, in Node without the types of pages, and in pages without those of Node. And
// other compilers and settings than ours.
import { join } from 'node:path';
import { root } from '@eaas/test-kit/markdown';
import { savePageCode } from '@eaas/test-kit/page-code';
import { libraries } from '@eaas/test-kit/published';
import { requireTools } from '@eaas/test-kit/tools';
import { expect, test } from 'vitest';

const code = `
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
import { createTestService, localService } from '@eaas/local';
import { inventory, migrate } from '@eaas/migrate';
import { withEncryption as prismaWithEncryption } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import { createBrowserClient } from '@eaas/sdk/browser';
import { decryptNested, defineFields, field, part, plaintext, unencrypted, withFields } from '@eaas/sdk/fields';
import { createProxy, toNodeHandler } from '@eaas/sdk/proxy';
import { encryptBlob, openFile } from '@eaas/sdk/stream';
import { integer } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
export const eaas = new EaasClient({ service: localService() });
export const values = [eaas.encrypt('x'), eaas.encryptMany(['x']), eaas.decrypt('x'), eaas.rewrap('x')] as const;
export const log = [eaas.audit.list(), eaas.audit.page(), eaas.audit.verify(), eaas.audit.report()] as const;
export const records = [eaas.keys.list(), eaas.apiKeys.list(), eaas.issuers.list(), eaas.publicKey('x')] as const;
export const file = [encryptBlob(eaas, new Blob([])), openFile(eaas, 'https://eaas.example', { fetch })] as const;
export const name = field.text({ previous: plaintext() }).searchable();
export const born = field.date().searchableBy({ month: part.months(), range: part.dateRange() });
export const note = field.text().searchableBy({ words: part.words(), both: withFields(['born']) });
export const pay = field.number().searchableBy({ step: part.steps(10) });
export const fields = defineFields({ users: { lowEntropy: 'accepted', subject: 'id', ...unencrypted('id'), name, born, note, pay, flag: field.boolean() } });
export const users = fields.for(eaas, { index: 'service' });
export const row = users.encryptRow('users', '1', { id: '1', name: 'Ada' });
export const rows = users.decryptRows('users', [{ id: '1', name: 'x' }], ({ id }) => id, { settled: true });
export const nested = decryptNested(users, [{ id: '1', name: 'x' }], { table: 'users' });
export const found = users.where('users', { name: 'Ada' });
export const people = encryptedTable('people', { id: integer().primaryKey(), name: encrypted(name), born: encrypted(born) });
export const db = withEncryption(drizzle(async () => ({ rows: [] })), eaas);
export const listed = db.select().from(people);
interface Plain { $extends(extension: object): unknown; $transaction<T>(work: (tx: { $queryRaw: string }) => Promise<T>): Promise<T> }
export const prisma = prismaWithEncryption({} as Plain, eaas, fields);
export const within = prisma.$transaction(async (tx) => tx);
export const moved = [migrate(db, people as never, 'rewrap', { client: eaas }), inventory(db, people as never)] as const;
export const page = createBrowserClient();
export const proxy = createProxy({ baseUrl: new URL('https://eaas.example'), apiKey: '', authorize: () => null, fetch: localService().fetch });
export const handler = toNodeHandler(proxy);
export const service = createTestService();
`;

test('an app with `declaration: true` compiles, whatever it exports', async () => {
  const saved = savePageCode(join(root, 'node_modules/.cache/declarations'), { 'app.mts': code });
  try {
    const emitting = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', 'out'];
    expect(await saved.node([join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', ...emitting])).toBe(
      '',
    );
  } finally {
    saved.remove();
  }
});

const entries = libraries.flatMap((library) => library.entries);
/** What runs only in Node. The declarations of drizzle-orm bring Node's types along. */
const nodeOnly = /^@eaas\/(?:dev|drizzle|log|server)\b/;
const node = { of: entries, lib: ['ES2022'], types: ['node'] };
const page = { of: entries.filter((name) => !nodeOnly.test(name)), lib: ['ES2022', 'DOM'], types: [] };
const apps = [
  { name: 'Node', module: 'nodenext', ...node },
  { name: 'Node', module: 'esnext', ...node },
  { name: 'a page', module: 'nodenext', ...page },
  { name: 'a page', module: 'esnext', ...page },
];
const fault = '@eaas/none';

test.each(apps)('every entry has its types in $name, with $module', async ({ name, of, ...options }) => {
  const imports = [...of, fault].map((entry, index) => `export * as entry${index} from '${entry}';`);
  const place = join(root, 'node_modules/.cache/entries', `${name}-${options.module}`);
  const moduleResolution = options.module === 'esnext' ? 'bundler' : 'nodenext';
  const strictly = { ...options, moduleResolution, customConditions: [], skipLibCheck: false };
  const saved = savePageCode(place, { 'app.mts': imports.join('\n') }, strictly);
  try {
    const errors = (await saved.compile()).match(/^\S.*/gm) ?? [];
    const ours = errors.filter((error) => !/^[./]*drizzle-orm\//.test(error));
    expect(ours).toEqual([expect.stringContaining(`Cannot find module '${fault}'`)]);
  } finally {
    saved.remove();
  }
});

const commonJs = { module: 'nodenext', moduleResolution: 'nodenext' };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
const decorated = `const inject = (...values: unknown[]): void => void values;
export class People { constructor(@inject readonly client: EaasClient) {} }`;
const compilers = [
  { name: 'Bun', typescript: '7', options: { ...bundler, types: ['bun'] } },
  { name: 'TypeScript 5.6', typescript: '5.6', options: bundler },
  { name: 'TypeScript 5.8, CommonJS', typescript: '5.8', options: commonJs },
  { name: 'TypeScript 7, CommonJS', typescript: '7', options: commonJs },
  {
    name: 'decorators',
    typescript: '5.8',
    options: { ...commonJs, experimentalDecorators: true, emitDecoratorMetadata: true },
  },
  { name: 'no `exports`', typescript: '5.8', options: { ...bundler, resolvePackageJsonExports: false } },
  {
    name: 'moduleResolution node',
    typescript: '5.8',
    options: { module: 'commonjs', moduleResolution: 'node' },
  },
];

test.each(compilers)('an app compiles with $name', async ({ name, typescript, options }) => {
  const modules = await requireTools('test/tools/typescript');
  const own = { strict: true, target: 'es2022', types: ['node'], noEmit: true, skipLibCheck: true };
  const file = options.module === 'nodenext' ? 'app.cts' : 'app.ts';
  const config = { compilerOptions: { ...own, ...options }, files: [file] };
  const app = [code, name === 'decorators' ? decorated : '', `export * from '${fault}';`].join('\n');
  const place = join(modules, '.cache', name.replaceAll(/\W+/g, '-'));
  const saved = savePageCode(place, { [file]: app, 'app.json': JSON.stringify(config) });
  const tsc =
    typescript === '7' ? join(root, 'node_modules/typescript') : join(modules, `typescript-${typescript}`);
  try {
    const errors = (await saved.node([join(tsc, 'bin/tsc'), '-p', 'app.json'])).match(/^\S.*/gm) ?? [];
    expect(errors).toEqual([expect.stringContaining(`Cannot find module '${fault}'`)]);
  } finally {
    saved.remove();
  }
});
