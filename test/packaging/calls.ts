// One call of each package: TypeScript that imports it and what it brings along, and how the output begins. `eaas dev` serves,
// and its variables are set.
export const calls: Readonly<Record<string, { readonly code: string; readonly prints: string }>> = {
  '@eaas/protocol': {
    code: `import { endpoints, type Output } from '@eaas/protocol/wire';
    import { fromUtf8, open, seal, toUtf8 } from '@eaas/protocol';
    const keyId = '00000000-0000-4000-8000-000000000002';
    const kept: Uint8Array[] = [];
    const wrap = (dek: Uint8Array) => (kept.push(dek.slice()), { keyId, keyVersion: 1, wrappedKey: Uint8Array.of(1) });
    const envelope = await seal(toUtf8('Alice'), wrap, { context: { table: 'patients' } });
    const unwrap = () => kept[0]?.slice() ?? new Uint8Array();
    // @ts-expect-error a wrapped key is text
    const wrong: Partial<Output<'POST /v1/keys/:key_id/wrap'>> = { wrapped_key: 1 };
    const opened = await open(envelope, unwrap, { keyId, context: { table: 'patients' } });
    console.log(fromUtf8(opened), endpoints['GET /v1/keys'].permission, wrong.wrapped_key);`,
    prints: 'Alice keys.read 1',
  },
  '@eaas/service': {
    code: `import { opensRootCheck, rootKey, sealRootCheck } from '@eaas/service';
    const [one, other] = [1, 2].map((byte) => rootKey(new Uint8Array(32).fill(byte)));
    if (one && other) console.log([one, other].map((key) => opensRootCheck(key, sealRootCheck(one))));`,
    prints: '[ true, false ]',
  },
  '@eaas/local': {
    code: `import { createLocalService } from '@eaas/local';
    const { baseUrl, apiKey, fetch } = createLocalService();
    const response = await fetch(baseUrl + '/v1/keys', { headers: { authorization: 'Bearer ' + apiKey } });
    console.log(response.status);`,
    prints: '200',
  },
  '@eaas/sdk': {
    code: `import { EaasClient } from '@eaas/sdk';
    const eaas = new EaasClient();
    const context = { table: 'accounts', row: '42' };
    const ciphertext = await eaas.encrypt('1//0gRefreshToken', { context });
    console.log(await eaas.decrypt(ciphertext, { as: 'text', context }));`,
    prints: '1//0gRefreshToken',
  },
  '@eaas/migrate': {
    code: `import { fernet } from '@eaas/migrate/formats';
    const token = 'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==';
    console.log(fernet('cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=')(token));`,
    prints: 'hello',
  },
  '@eaas/audit': {
    code: `import { verifyLog } from '@eaas/audit';
    console.log((await verifyLog([])).findings);`,
    prints: '[]',
  },
  '@eaas/drizzle': {
    code: `import { text } from 'drizzle-orm/pg-core';
    import { drizzle } from 'drizzle-orm/pg-proxy';
    import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
    import { EaasClient } from '@eaas/sdk';
    import { field } from '@eaas/sdk/fields';
    const people = encryptedTable('people', { id: text().primaryKey(), name: encrypted(field.text()) });
    const rows: unknown[][] = [];
    const proxy = drizzle(async (_, params) => ({ rows: (rows.push(params), []) }));
    await withEncryption(proxy, new EaasClient()).insert(people).values({ id: '1', name: 'Ada' });
    console.log(rows[0]?.includes('1'), rows[0]?.includes('Ada'));`,
    prints: 'true false',
  },
  '@eaas/kysely': {
    code: `import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
    import { encryptedColumns } from '@eaas/kysely';
    import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
    const fields = defineFields({ people: { ...unencrypted('id'), name: field.text() } });
    const dialect = {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db: Kysely<never>) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    };
    const db = new Kysely<{ people: { name: string } }>({ dialect: dialect as never, plugins: [encryptedColumns(fields)] });
    const forgot = db.insertInto('people').values({ name: 'Ada' }).execute();
    console.log(await forgot.catch((error: { code?: string }) => error.code));`,
    prints: 'not_encrypted',
  },
  '@eaas/prisma': {
    code: `import { withEncryption } from '@eaas/prisma';
    import { EaasClient } from '@eaas/sdk';
    import { defineFields, field } from '@eaas/sdk/fields';
    const fields = defineFields({ Patient: { name: field.text() } });
    try {
      withEncryption({} as never, new EaasClient(), fields);
    } catch (error) {
      console.log((error as Error).name);
    }`,
    prints: 'EncryptedTableError',
  },
  '@eaas/console': {
    code: `import files from '@eaas/console/files';
    console.log(files.protocol);`,
    prints: 'file:',
  },
  '@eaas/server': {
    code: `import { serve } from '@eaas/server';
    const options = { plugins: [], trustProxy: null, tlsFiles: null, lastPort: 1, databaseUrl: null };
    await serve(options as never).catch((error: Error) => console.log(error.message));`,
    prints: 'The server needs a database',
  },
  '@eaas/log': {
    code: `import { publicLog } from '@eaas/log';
    const log = publicLog({ policyFile: 'log.policy', interval: 60, monitors: new Map() });
    await log.catch((error: Error) => console.log(error.name));`,
    prints: 'CannotStart',
  },
  '@eaas/dev': {
    code: `import { dev } from '@eaas/dev';
    import { embeddedIn } from '@eaas/dev/internal';
    const dataDirectory = process.env['DEVELOPMENT'] ?? '';
    const options = { dataDirectory, databaseUrl: null, openEmbedded: embeddedIn(dataDirectory), warnings: [] };
    await dev(options as never, undefined);`,
    prints: 'Eaas already runs on http',
  },
  // These two are commands, so their calls are lines of a shell.
  '@eaas/files': {
    code: `PATH=$PWD/node_modules/.bin:$PATH
    eaas-files encrypt package.json
    eaas-files decrypt package.json.eaas --out copy.json
    cmp package.json copy.json
    test "$(eaas-files --version)" = "$VERSION" && echo same`,
    prints: 'same',
  },
  '@eaas/cli': {
    code: `PATH=$PWD/node_modules/.bin:$PATH
    test "$(eaas --version)" = "$VERSION"
    eaas audit verify --tenant dev --json`,
    prints: '"valid":true',
  },
};
