// Two products that encrypt rows: one with Sequelize and its hooks, whose tokens are bytes of AES-CBC, and one with TypeORM.
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inventory, migrate } from '@eaas/migrate';
import { defineFields, type Records, type Tables, unencrypted } from '@eaas/sdk/fields';
import { createDatabase } from '@eaas/test-kit/database';
import { createClient } from '@eaas/test-kit/orms/client';
import { requireTools } from '@eaas/test-kit/tools';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { type App, fieldsIn, type Member, runProduct, seals, type Stage } from './two-versions.ts';

type Row = Record<string, unknown> & { readonly id: string };
type Connection = Readonly<Record<'host' | 'port' | 'database' | 'username', never>>;

/** What a product does with its rows. `where` is SQL without values of the app. */
interface Store {
  insert(row: Row): Promise<unknown>;
  select(where?: string): Promise<Row[]>;
  update(id: string, row: object): Promise<unknown>;
  remove(id: string): Promise<unknown>;
}

/** What becomes of values on their way. */
interface Codec {
  readonly seal: (id: string, row: object) => Promise<object>;
  readonly open: (rows: readonly Row[]) => Promise<readonly object[]>;
  readonly find: (email: string) => Promise<string>;
}

/** The code of the product, which is the same in each version but for what encrypts. */
function appOf(store: Store, { seal, open, find }: Codec): App {
  const add: App['add'] = async (member) => {
    const id = randomUUID();
    return store.insert({ ...(await seal(id, member)), id }).then(
      () => true,
      (error: { driverError?: { code: string }; parent?: { code: string } }) => {
        if ((error.driverError ?? error.parent)?.code !== '23505') throw error;
        return false;
      },
    );
  };
  const change: App['change'] = async (email, to) => {
    const rows = await store.select(await find(email));
    for (const { id } of rows) await store.update(id, await seal(id, to));
    return rows.length;
  };
  const membersOf = async (rows: readonly Row[]) =>
    ((await open(rows)) as Member[]).map(({ email, token, city }) => ({ email, token, city }));
  return {
    add,
    change,
    save: async (member) => void ((await change(member.email, member)) || (await add(member))),
    find: async (email) => membersOf(await store.select(await find(email))),
    async remove(email) {
      const rows = await store.select(await find(email));
      for (const { id } of rows) await store.remove(id);
      return rows.length;
    },
    all: async () => membersOf(await store.select()),
  };
}

const key = randomBytes(32);
const cbc = {
  seal: (text: string): Buffer => {
    const iv = randomBytes(16);
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    return Buffer.concat([iv, cipher.update(text), cipher.final()]);
  },
  open: (stored: unknown): string => {
    const bytes = stored as Buffer;
    const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString();
  },
};

/** Runs the whole way. With bytes, the store of a stage has hooks, which open and encrypt its rows. */
async function runWith(
  type: 'text' | 'bytea',
  storeOf: (at: Connection, stage?: { readonly fields: never; readonly records: never }) => Promise<Store>,
): ReturnType<typeof runProduct> {
  const hasHooks = type === 'bytea';
  const { connection, drop } = await createDatabase();
  const at = connection('owner');
  const sql = postgres({ ...at, max: 1, onnotice: () => {} });
  await sql.unsafe(
    `create table members (id uuid primary key, city text not null, email text not null, token ${type})`,
  );
  const { eaas, index, keyId } = await createClient();
  const [token, open] = hasHooks ? [cbc.seal, cbc.open] : [seals.before.token, seals.before.open];
  const old: Codec = {
    seal: async (_, { email, token: value, ...row }: Partial<Member>) => ({
      ...row,
      ...(email !== undefined && { email: seals.before.email(email) }),
      ...(value !== undefined && { token: value === null ? null : token(value) }),
    }),
    open: async (rows) =>
      rows.map((row) => ({
        ...row,
        email: seals.before.open(String(row['email'])),
        token: row['token'] && open(row['token'] as never),
      })),
    find: async (email) => `email = '${seals.before.email(email)}'`,
  };
  const inStage = async (stage: Stage) => {
    const { email, token: own } = fieldsIn(stage, hasHooks ? cbc : undefined);
    const fields = defineFields({ members: { ...unencrypted('id', 'city'), email, token: own } });
    const records = fields.for(eaas, { index });
    const untyped = records as unknown as Records<Tables>;
    const find = async (value: string) => {
      const { email_index } = await records.where('members', { email: value });
      const isIndexed = `email_index in (${email_index.map((each) => `'${each}'`).join()})`;
      return stage === 'first'
        ? `${await old.find(value)} or (email like 'eaasA%' and ${isIndexed})`
        : isIndexed;
    };
    const itself: Codec = { seal: async (_, row) => row, open: async (rows) => rows, find };
    const codec: Codec = {
      seal: (id, row) => untyped.encryptRow('members', id, row as never),
      open: (rows) => untyped.decryptRows('members', rows, ({ id }) => id),
      find,
    };
    const store = await storeOf(at as never, { fields: fields as never, records: records as never });
    return { store, app: appOf(store, hasHooks ? itself : codec), email, fields };
  };
  const stages = {
    first: await inStage('first'),
    second: await inStage('second'),
    last: await inStage('last'),
  };
  const database = { query: (statement: string, values: string[]) => sql.unsafe(statement, values) };
  const optionsIn = (stage: Stage) => {
    const { email, fields } = stages[stage];
    return {
      client: eaas,
      index,
      fields: hasHooks ? defineFields({ members: { email } }) : (fields as never),
    };
  };
  const result = await runProduct({
    before: appOf(await storeOf(at as never), old),
    appIn: (stage) => stages[stage].app,
    async run(stage, mode) {
      const { store } = stages[stage];
      // Bytes are converted by the app itself.
      for (const { id, token: value } of hasHooks && mode !== 'index' ? await store.select() : [])
        await store.update(id, { token: value });
      return migrate(database, 'members', mode, optionsIn(stage));
    },
    look: (stage) => inventory(database, 'members', optionsIn(stage)),
    sql: (statement) => sql.unsafe(statement),
    rotate: () => eaas.keys.rotate({ key_id: keyId }),
    unique: ['email'],
  });
  await sql.end();
  await drop();
  return result;
}

/** What is called of the two libraries. */
interface SequelizeModule {
  readonly DataTypes: Readonly<Record<'TEXT' | 'UUID' | 'BLOB', object>>;
  readonly Sequelize: new (options: object) => {
    define(name: string, columns: object, options: object): Model;
    literal(sql: string): unknown;
  };
}
interface Model {
  create(row: Row): Promise<unknown>;
  findAll(options: object): Promise<{ get(): Row }[]>;
  findByPk(id: string): Promise<{
    set(values: object): void;
    changed(name: string, is: true): void;
    save(options: object): Promise<unknown>;
  } | null>;
  destroy(options: object): Promise<unknown>;
}
interface TypeOrmModule {
  readonly EntitySchema: new (options: object) => object;
  readonly DataSource: new (options: object) => {
    initialize(): Promise<{ getRepository(of: object): Repository }>;
  };
}
interface Repository {
  insert(row: Row): Promise<unknown>;
  createQueryBuilder(name: string): { where(sql: string): { getMany(): Promise<Row[]> } };
  update(where: object, row: object): Promise<unknown>;
  delete(where: object): Promise<unknown>;
}

test('Sequelize with hooks: nothing is lost, and each version finds what it knows', async () => {
  const modules = await requireTools('packages/sdk/test/orms/sequelize');
  const folder = join(modules, '..', 'generated');
  mkdirSync(folder, { recursive: true });
  copyFileSync('examples/sequelize/encryption.ts', join(folder, 'encryption.ts'));
  const { addEncryption } = (await import(pathToFileURL(join(folder, 'encryption.ts')).href)) as {
    addEncryption: (...given: unknown[]) => void;
  };
  const { DataTypes, Sequelize } = createRequire(join(folder, 'index.js'))('sequelize') as SequelizeModule;
  const { found, members } = await runWith('bytea', async ({ host, port, database, username }, stage) => {
    const sequelize = new Sequelize({
      dialect: 'postgres',
      host,
      port,
      database,
      username,
      logging: false,
      pool: { max: 1 },
    });
    const text = DataTypes.TEXT;
    const columns = {
      id: { type: DataTypes.UUID, primaryKey: true },
      city: text,
      email: text,
      token: DataTypes.BLOB,
    };
    const Members = sequelize.define(
      'members',
      { ...columns, ...(stage && { email_index: text }) },
      { timestamps: false },
    );
    if (stage) addEncryption(sequelize, stage.fields, stage.records);
    return {
      insert: (row) => Members.create(row),
      select: async (where) =>
        (await Members.findAll(where === undefined ? {} : { where: sequelize.literal(where) })).map((row) =>
          row.get(),
        ),
      async update(id, values) {
        const row = await Members.findByPk(id);
        row?.set(values);
        // Sequelize would not write an equal value in its new form.
        for (const name of Object.keys(values)) row?.changed(name, true);
        await row?.save({ fields: Object.keys(values) });
      },
      remove: (id) => Members.destroy({ where: { id } }),
    };
  });
  expect(found).toEqual(members);
});

test('TypeORM: nothing is lost, and each version finds what it knows', async () => {
  const { DataSource, EntitySchema } = createRequire(
    join(await requireTools('packages/sdk/test/orms/typeorm'), 'index.js'),
  )('typeorm') as TypeOrmModule;
  const { found, members } = await runWith('text', async ({ host, port, database, username }, stage) => {
    const text = { type: 'text', nullable: true } as const;
    const columns = { id: { type: 'uuid', primary: true } as const, city: text, email: text, token: text };
    const Members = new EntitySchema({
      name: 'members',
      columns: { ...columns, ...(stage && { email_index: text }) },
    });
    const source = await new DataSource({
      type: 'postgres',
      host,
      port,
      database,
      username,
      entities: [Members],
      extra: { max: 1 },
    }).initialize();
    const rows = source.getRepository(Members);
    return {
      insert: (row) => rows.insert(row),
      select: (where = 'true') => rows.createQueryBuilder('members').where(where).getMany(),
      update: (id, row) => rows.update({ id }, row),
      remove: (id) => rows.delete({ id }),
    };
  });
  expect(found).toEqual(members);
});
