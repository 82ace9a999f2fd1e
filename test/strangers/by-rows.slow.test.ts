// Two products that encrypt rows: one with Sequelize and its hooks, whose tokens are bytes of AES-CBC, and one with TypeORM.
import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineFields, unencrypted } from '@eaas/sdk/fields';
import { requireTools } from '@eaas/test-kit/tools';
import { expect, test } from 'vitest';
import { type Member, type Place, runProduct, sealEmail, type Store } from './two-versions.ts';

/** What a library does with rows: as a store, but by their ids, and it finds by SQL without values of the app. */
type Rows = Omit<Store<Row>, 'save'>;
type Row = Member & { readonly id: string };

function fieldsOf({ eaas, index, email, token }: Place) {
  const fields = defineFields({ members: { ...unencrypted('id', 'homeCity'), email, token } });
  return { fields, records: fields.for(eaas, { index }) };
}

/** Runs the whole way. With bytes, the rows of a version have hooks, which open and encrypt them. */
async function runWith(
  type: 'text' | 'bytea',
  rowsOf: (at: object, of: Partial<ReturnType<typeof fieldsOf>>) => Promise<Rows>,
) {
  const columns = `id uuid primary key, token ${type}, "homeCity" text not null`;
  return runProduct(columns, async (place) => {
    const { at, sql, index, stage, email } = place;
    const { fields, records } = fieldsOf(place);
    const rows = await rowsOf(at, stage === 'before' ? {} : { fields, records });
    const find = async (email?: string) => {
      if (email === undefined) return rows.find();
      if (stage === 'before') return rows.find(`email = '${email}'`);
      const { email_index } = await records.where('members', { email });
      const isIndexed = `email_index in (${email_index.map((each) => `'${each}'`).join()})`;
      const isEither = `email = '${sealEmail(email)}' or (email like 'eaasA%' and ${isIndexed})`;
      return rows.find(stage === 'first' ? isEither : isIndexed);
    };
    const change = async (email: string, of: (id: string) => Promise<unknown>) => {
      const found = await find(email);
      for (const { id } of found) await of(id);
      return found.length;
    };
    const insert: Store['insert'] = (row) => rows.insert({ ...row, id: randomUUID() });
    const update: Store['update'] = (email, row) => change(email, (id) => rows.update(id, row));
    const save: Store['save'] = async (row) => (await update(row.email, row)) || insert(row);
    const remove: Store['remove'] = (email) => change(email, (id) => rows.remove(id));
    const database = { query: (statement: string, values: string[]) => sql.unsafe(statement, values) };
    const migrated = type === 'bytea' ? defineFields({ members: { email } }) : fields;
    const target = [database, 'members', { index, fields: migrated }] as const;
    return { store: { find, insert, update, save, remove }, target };
  });
}

test('Sequelize with hooks: nothing is lost, and each version finds what it knows', async () => {
  const modules = await requireTools('packages/sdk/test/orms/sequelize');
  const { DataTypes, Sequelize } = createRequire(modules)('./node_modules/sequelize');
  const folder = join(modules, '..', 'generated');
  cpSync('examples/sequelize/encryption.ts', join(folder, 'encryption.ts'));
  const { addEncryption } = await import(pathToFileURL(join(folder, 'encryption.ts')).href);
  const { found, members } = await runWith('bytea', async (at, { fields, records }) => {
    const sequelize = new Sequelize({ ...at, dialect: 'postgres', logging: false, pool: { max: 1 } });
    const { TEXT, UUID, BLOB } = DataTypes;
    const id = { type: UUID, primaryKey: true };
    const columns = { id, homeCity: TEXT, email: TEXT, token: BLOB, ...(fields && { email_index: TEXT }) };
    const Members = sequelize.define('members', columns, { timestamps: false });
    if (fields) addEncryption(sequelize, fields, records);
    return {
      insert: (row) => Members.create(row),
      async find(where = 'true') {
        const rows: { get(): Row }[] = await Members.findAll({ where: sequelize.literal(where) });
        return rows.map((row) => row.get());
      },
      update: (id, row) =>
        Members.build({ id, ...row }, { isNewRecord: false }).save({ fields: Object.keys(row) }),
      remove: (id) => Members.destroy({ where: { id } }),
    };
  });
  expect(found).toMatchObject(members);
});

test('TypeORM: nothing is lost, and each version finds what it knows', async () => {
  const modules = await requireTools('packages/sdk/test/orms/typeorm');
  const { DataSource, EntitySchema, Raw } = createRequire(modules)('./node_modules/typeorm');
  const { found, members } = await runWith('text', async (at, { fields, records }) => {
    const text = { type: 'text', nullable: true };
    const id = { type: 'uuid', primary: true };
    const columns = { id, homeCity: text, email: text, token: text, ...(fields && { email_index: text }) };
    const Members = new EntitySchema({ name: 'members', columns });
    const source = new DataSource({ ...at, type: 'postgres', entities: [Members], extra: { max: 1 } });
    const rows = (await source.initialize()).getRepository(Members);
    const seal = async (id: string, row: object) => (await records?.encryptRow('members', id, row)) ?? row;
    return {
      insert: async (row) => rows.insert(await seal(row.id, row)),
      async find(where = 'true') {
        const found: Row[] = await rows.findBy({ id: Raw(() => where) });
        return (await records?.decryptRows('members', found, ({ id }: Row) => id)) ?? found;
      },
      update: async (id, row) => rows.update({ id }, await seal(id, row)),
      remove: (id) => rows.delete({ id }),
    };
  });
  expect(found).toMatchObject(members);
});
