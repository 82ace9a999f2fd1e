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
import { createTestService, createLocalService } from '@eaas/local';
import { inventory, migrate } from '@eaas/migrate';
import { withEncryption as prismaWithEncryption } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import { createBrowserClient } from '@eaas/sdk/browser';
import { decryptNested, defineFields, field, part, plaintext, unencrypted, withFields } from '@eaas/sdk/fields';
import { createProxy, toNodeHandler } from '@eaas/sdk/proxy';
import { encryptBlob, openFile } from '@eaas/sdk/stream';
import { eq } from 'drizzle-orm';
import { integer } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
export const eaas = new EaasClient({ service: createLocalService() });
export const values = [eaas.encrypt('x'), eaas.encryptMany(['x']), eaas.decrypt('x'), eaas.rewrap('x')] as const;
export const log = [eaas.audit.list(), eaas.audit.page(), eaas.audit.verify(), eaas.audit.report()] as const;
export const records = [eaas.keys.list(), eaas.apiKeys.list(), eaas.issuers.list(), eaas.publicKey('x')] as const;
export const file = [encryptBlob(eaas, new Blob([])), openFile(eaas, 'https://eaas.example', { fetch })] as const;
export const name = field.text({ previous: plaintext() }).searchable();
export const born = field.date().searchableBy({ month: part.months(), range: part.dateRange() });
export const note = field.text().searchableBy({ words: part.words(), both: withFields(['born']) });
export const pay = field.number().searchableBy({ step: part.steps(10) });
export const kinds = [field.json(), field.bytes(), field.text().searchable().concealed()] as const;
export const fields = defineFields({ users: { lowEntropy: 'accepted', subject: 'id', ...unencrypted('id'), name, born, note, pay, flag: field.boolean() } });
export const users = fields.for(eaas, { index: 'service' });
export const row = users.encryptRow('users', '1', { id: '1', name: 'Ada' });
export const rows = users.decryptRows('users', [{ id: '1', name: 'x' }], ({ id }) => id, { settled: true });
export const nested = decryptNested(users, [{ id: '1', name: 'x' }], { table: 'users' });
export const found = users.where('users', { name: 'Ada' });
export const people = encryptedTable('people', { id: integer().primaryKey(), name: encrypted(name), born: encrypted(born), pin: encrypted(field.text().searchable().concealed()) });
export const db = withEncryption(drizzle(async () => ({ rows: [] })), eaas);
export const listed = [db.select().from(people), db.revealed().update(people).set({ pin: '1' }).where(eq(people.pin, '1')).returning()] as const;
interface Plain { $extends(extension: object): unknown; $transaction<T>(work: (tx: { $queryRaw: string }) => Promise<T>): Promise<T> }
export const prisma = prismaWithEncryption({} as Plain, eaas, fields);
export const within = [prisma.$transaction(async (tx) => tx), prisma.$revealed()] as const;
export const moved = [migrate(db, people as never, 'rewrap', { client: eaas }), inventory(db, people as never)] as const;
export const page = createBrowserClient();
export const proxy = createProxy({ baseUrl: new URL('https://eaas.example'), apiKey: '', authorize: () => null, fetch: createLocalService().fetch });
export const handler = toNodeHandler(proxy);
export const service = createTestService();
`;

const typescript = join(root, 'node_modules/typescript');

/** Saves an app, compiles it, and returns the errors. */
async function errorsIn(
  place: string,
  files: Readonly<Record<string, string>>,
  { compiler = typescript, args = ['.'], options = {} },
) {
  const saved = savePageCode(place, files, options);
  try {
    return (await saved.node([join(compiler, 'bin/tsc'), '-p', ...args])).match(/^\S.*/gm) ?? [];
  } finally {
    saved.remove();
  }
}

test('an app with `declaration: true` compiles, whatever it exports', async () => {
  const emitting = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', 'out'];
  // Outside node_modules, and with our packages in it as they are installed: else TypeScript names what no entry exports.
  const place = join(root, '.eaas/declarations');
  const options = { customConditions: [], preserveSymlinks: true };
  expect(await errorsIn(place, { 'app.mts': code }, { args: ['.', ...emitting], options })).toEqual([]);
});

const entries = libraries.flatMap((library) => library.entries);
/** What runs only in Node. The declarations of drizzle-orm bring Node's types along. */
const nodeOnly = /^@eaas\/(?:dev|drizzle|log|server)\b/;
const node = { of: entries, lib: ['ES2022'], types: ['node'] };
const page = { of: entries.filter((name) => !nodeOnly.test(name)), lib: ['ES2022', 'DOM'], types: [] };
const nodeNext = { module: 'nodenext', moduleResolution: 'nodenext' };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
const fault = '@eaas/none';
const onlyTheFault = [expect.stringContaining(`Cannot find module '${fault}'`)];

test.each([
  { name: 'Node', ...node, ...nodeNext },
  { name: 'Node', ...node, ...bundler },
  { name: 'a page', ...page, ...nodeNext },
  { name: 'a page', ...page, ...bundler },
])('every entry has its types in $name, with $module', async ({ name, of, ...options }) => {
  const imports = [...of, fault].map((entry, index) => `export * as entry${index} from '${entry}';`);
  const place = join(root, 'node_modules/.cache/entries', `${name}-${options.module}`);
  const strictly = { ...options, customConditions: [], skipLibCheck: false };
  const errors = await errorsIn(place, { 'app.mts': imports.join('\n') }, { options: strictly });
  expect(errors.filter((error) => !/^[./]*drizzle-orm\//.test(error))).toEqual(onlyTheFault);
});

const decorated = `const inject = (...values: unknown[]): void => void values;
export class People { constructor(@inject readonly client: EaasClient) {} }`;
const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true };

test.each([
  ['Bun', '7', { ...bundler, types: ['bun'] }],
  ['TypeScript 5.6', '5.6', bundler],
  ['TypeScript 5.8, CommonJS', '5.8', nodeNext],
  ['TypeScript 7, CommonJS', '7', nodeNext],
  ['decorators', '5.8', { ...nodeNext, ...decorators }],
  ['no `exports`', '5.8', { ...bundler, resolvePackageJsonExports: false }],
  ['moduleResolution node', '5.8', { module: 'commonjs', moduleResolution: 'node' }],
])('an app compiles with %s', async (name, version, options) => {
  const modules = await requireTools('test/tools/typescript');
  const own = { strict: true, target: 'es2022', types: ['node'], noEmit: true, skipLibCheck: true };
  const file = options.module === 'nodenext' ? 'app.cts' : 'app.ts';
  const config = { compilerOptions: { ...own, ...options }, files: [file] };
  const app = [code, name === 'decorators' ? decorated : '', `export * from '${fault}';`].join('\n');
  const place = join(modules, '.cache', name.replaceAll(/\W+/g, '-'));
  const compiler = version === '7' ? typescript : join(modules, `typescript-${version}`);
  const files = { [file]: app, 'app.json': JSON.stringify(config) };
  expect(await errorsIn(place, files, { compiler, args: ['app.json'] })).toEqual(onlyTheFault);
});
