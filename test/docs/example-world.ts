// What stands around the examples in doc comments. It is text, because the examples are programs of their own, in which
// TypeScript may know these names and nowhere else.
import { surroundingsOf } from './surroundings.ts';

/** Plays a service, a database, a page and an app, whose names every example can use. */
export const world = `
import { ServiceError } from '@eaas/sdk';
import { defineFields, field, plaintext, unencrypted } from '@eaas/sdk/fields';
import { createProxy } from '@eaas/sdk/proxy';
import { encryptBlob } from '@eaas/sdk/stream';
import { eaas, keyId, playPage, service } from '@eaas/test-kit/played-service';
import { openPlayedDatabase } from '../../../test/docs/played-database.ts';
import { witness } from '../../../test/docs/played-witnesses.ts';

const { sql } = await openPlayedDatabase();
await sql\`alter table patients add name text, add name_index text\`;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
const signing = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const index = process.env.EAAS_INDEX_KEY!;
const patients = { ...unencrypted('id'), name: field.text().searchable() };
export const known = {
  ServiceError,
  eaas,
  keyId,
  pool: { query: async (text: string, values: string[]): Promise<object[]> => sql.unsafe(text, values) },
  fields: defineFields({ members: { email: field.text({ previous: plaintext() }) } }),
  records: defineFields({ patients }).for(eaas, { index }),
  upload: new File(['a film'], 'film.mp4'),
  storedFile: await new Response((await encryptBlob(eaas, new Blob(['a scan']))).stream).blob(),
  publicJwk: { ...(await crypto.subtle.exportKey('jwk', signing.publicKey)), kty: 'EC', kid: '1' },
  policy: witness(eaas),
  proxy: createProxy({
    baseUrl: service.baseUrl,
    apiKey: service.apiKey,
    authorize: () => ({ keys: [keyId], operations: ['wrap', 'unwrap'] }),
  }),
  findSession: async (cookie: string | null) => (cookie === 'session=42' ? { userId: '42' } : undefined),
  load: async () => null,
  store: async (_value: unknown): Promise<void> => {},
};
playPage(known.proxy);
Object.assign(globalThis, known);
process.env.PORT = '0';
process.env.VERIFIER_KEY = (await eaas.audit.checkpoint()).verifier_key;
${surroundingsOf('migrate/docs/formats.md')?.replace(/^import .*$/m, '')}
`;

const names = Array.from(world.matchAll(/^ {2}(\w+)(?:,|: )/gm), ([, name]) => name);

/** Declares the names of `world`, without a type in its text. */
export const globals = names
  .map((name) => `declare const ${name}: (typeof import('./world.mts'))['known']['${name}'];\n`)
  .join('');

/** A table and a database, which sends nothing and finds nothing. */
const drizzled = (entry: string, dialect: string, integer: string): string => `
import * as adapter from '@eaas/drizzle/${entry}';
import { field as fieldOf, part as partOf } from '@eaas/sdk/fields';
import { ${integer} as ofInteger } from 'drizzle-orm/${dialect}-core';
import { drizzle as open } from 'drizzle-orm/${dialect}-proxy';
const plain = open(async (_sql, _values, method) => ({ rows: method === 'all' ? [] : [{ insertId: 7 }] }));
const ofSsn = fieldOf.text().searchable().searchableBy({ last4: partOf.lastCharacters(4) });
const columns = { id: ofInteger().primaryKey(), ssn: adapter.encrypted(ofSsn) };
const patients = adapter.encryptedTable('patients', columns, { lowEntropy: 'accepted' });
const db = adapter.withEncryption(plain, eaas, { index: process.env.EAAS_INDEX_KEY! });
`;

/** What stands before the examples of some files, which may name their own variables the same. */
export const before: Readonly<Record<string, string>> = {
  'packages/drizzle/src/access.ts': drizzled('pg', 'pg', 'integer'),
  'packages/drizzle/src/table.ts': drizzled('pg', 'pg', 'integer'),
  'packages/drizzle/src/walk.ts': drizzled('pg', 'pg', 'integer'),
  'packages/drizzle/src/pg.ts': drizzled('pg', 'pg', 'integer'),
  'packages/drizzle/src/mysql.ts': drizzled('mysql', 'mysql', 'int'),
  'packages/drizzle/src/sqlite.ts': drizzled('sqlite', 'sqlite', 'integer'),
  'packages/kysely/src/index.ts': `
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
const plain = new Kysely<{ patients: { id: string; ssn: string } }>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
`,
  'packages/prisma/src/encrypted.ts': `
interface Patient { id: string; name: string | null; ssn: string | null }
interface Types {
  payload: { name: 'Patient'; objects: object; scalars: Patient; composites: object };
  operations: { findMany: { args: { where?: Partial<Patient> }; result: unknown } };
}
interface Delegate { [key: symbol]: { types: Types }; findMany(args: object): Promise<object[]> }
declare const prisma: { patient: Delegate; $extends(extension: object): unknown };
`,
};

/** The files whose examples only compile, and the reason. */
export const notRun: Readonly<Record<string, string>> = {
  'packages/prisma/src/encrypted.ts':
    'needs the client that Prisma generates: the tests of the package run its README',
};
