// Products that encrypt rows: one with Sequelize and its hooks, whose tokens are bytes of AES-CBC, and one with TypeORM and Jest.
import { randomUUID } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineFields, unencrypted } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { installPackages } from '@eaas/test-kit/installed-packages';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { run } from '@eaas/test-kit/program';
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

/** Runs the whole way. The rows of a version have hooks, which open and encrypt them. */
async function runWith(rowsOf: (at: object, of: Partial<ReturnType<typeof fieldsOf>>) => Promise<Rows>) {
  return runProduct('id uuid primary key, token bytea, "homeCity" text not null', async (place) => {
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
    const target = [database, 'members', { index, fields: defineFields({ members: { email } }) }] as const;
    return { store: { find, insert, update, save, remove }, target };
  });
}

test('Sequelize with hooks: nothing is lost, and each version finds what it knows', async () => {
  const modules = await requireTools('packages/sdk/test/orms/sequelize');
  const { DataTypes, Sequelize } = createRequire(modules)('./node_modules/sequelize');
  const folder = join(modules, '..', 'generated');
  cpSync('examples/sequelize/encryption.ts', join(folder, 'encryption.ts'));
  const { addEncryption } = await import(pathToFileURL(join(folder, 'encryption.ts')).href);
  const { found, members } = await runWith(async (at, { fields, records }) => {
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

const compilerOptions = { module: 'commonjs', target: 'es2022', experimentalDecorators: true, strict: true };

/** Its first member is older than Eaas: AES-256-GCM under a key that scrypt makes. */
const jestTest = `
import { expect, test } from '@jest/globals';
import { createTestService } from '@eaas/local';
import { joined, keyFromScrypt } from '@eaas/migrate/formats';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, defineFields, field, plaintext } from '@eaas/sdk/fields';
import { Column, DataSource, Entity, In, PrimaryColumn } from 'typeorm';

@Entity()
class Member {
  @PrimaryColumn('text') id!: string;
  @Column('text') email!: string;
  @Column('text', { nullable: true }) email_index!: string | null;
}
const key = () => keyFromScrypt('the passphrase before', 'salt');
const older = plaintext(joined({ key, parts: ['iv', 'ciphertext'], encoding: 'base64' }));
const fields = defineFields({ member: { email: field.text({ previous: older }).searchable() } });

test('members are found by e-mail, and read', async () => {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('members');
  const eaas = new EaasClient({ ...service, keyId });
  const records = fields.for(eaas, { index: await createIndexKey(eaas) });
  const source = new DataSource({ type: 'sqljs', entities: [Member], synchronize: true });
  const members = (await source.initialize()).getRepository(Member);
  await members.insert({ id: '1', email: 'jJAwoIElGWF8oXEf8BHPQ0VZEExiVw+Q2n+Df9HxvDGh17Kj1ulZ/g9y+w==' });
  const email = 'grace@example.com';
  await members.insert({ id: '2', ...(await records.encryptRow('member', '2', { email })) });
  const { email_index } = await records.where('member', { email });
  const found = await members.findBy({ email_index: In(email_index) });
  expect(found).toMatchObject([{ id: '2', email: expect.stringMatching(/^eaasA/) }]);
  const read = await records.decryptRows('member', await members.find(), ({ id }) => id);
  expect(read).toMatchObject([{ email: 'ada@example.com' }, { email }]);
});
`;

test('TypeORM in Jest with CommonJS, as our page configures it: members are found, and read', async () => {
  const { directory } = await closing(installPackages(), ({ remove }) => remove());
  cpSync(await requireTools('test/tools/jest'), join(directory, 'node_modules'), { recursive: true });
  const save = (name: string, text: string) => writeFileSync(join(directory, name), text);
  save('package.json', '{}');
  save('tsconfig.json', JSON.stringify({ compilerOptions }));
  save('jest.config.js', blocksOf(read('packages/sdk/docs/testing.md'), 'js').join());
  save('members.test.ts', jestTest);
  const jest = [process.execPath, 'node_modules/jest/bin/jest.js', '--cacheDirectory=.cache'];
  const stderr: unknown = expect.stringContaining('1 passed, 1 total');
  expect(await run(jest, {}, { cwd: directory })).toMatchObject({ code: 0, stderr });
});
