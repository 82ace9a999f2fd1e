import { join } from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { saidBy, savePageCode } from '@eaas/test-kit/page-code';
import { lookAlike } from '@eaas/test-kit/look-alike';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { requireTools, type Tools } from '@eaas/test-kit/tools';

interface Recipe {
  readonly name: string;
  readonly tools: Tools;
  readonly schema?: string;
  readonly code: readonly string[];
}

const service = '@eaas/test-kit/played-service';
const page = read('packages/sdk/docs/orm.md');
const [start = '', ...sections] = page.split(/^## /m);
const sectionOf = (title: string): string => sections.find((text) => text.startsWith(`${title}\n`)) ?? '';
const blocksIn = (title: string): string[] => blocksOf(sectionOf(title), 'ts');
const joins = blocksIn('Joins with renamed columns');
const shared = [
  `import { eaas } from '${service}';`,
  ...blocksOf(start, 'ts'),
  ...blocksIn('The tables'),
  ...joins,
];
const ofThePage = blocksOf(page, 'sql').join('');

const drizzlePage = read('packages/drizzle/README.md');
const [setup = '', encryptedMembers = ''] = blocksOf(drizzlePage, 'ts');
const filling = [
  "import { migrate } from '@eaas/migrate';",
  "const filled = await migrate(db, members, 'index', { client: eaas });",
  'console.log(filled.done, filled.progress.rewritten); // true 2',
].join('\n');
const conversion = `
const result = await migrate(db, members, 'encrypt', { client: eaas });
console.log(result.done, result.progress.rewritten, result.left.count); // true 2 0`;
const [, people = ''] = drizzlePage.split(/^## People$/m);
const ofPeople = blocksOf(people, 'ts');

const recipes: readonly Recipe[] = [
  {
    name: 'Kysely',
    tools: 'packages/sdk/test/orms/kysely',
    code: [
      ...shared,
      ...blocksIn('Kysely'),
      'const twin = { ...grace, id: randomUUID() };',
      '// @ts-expect-error: plaintext',
      "const insertPlain = db.insertInto('patients').values(twin);",
      '// @ts-expect-error: plaintext',
      "db.selectFrom('patients').where('name', '=', 'Ada');",
      'const codeOf = (error: { code: string }) => error.code;',
      'console.log(await insertPlain.execute().catch(codeOf)); // 23514',
      "const insertTwin = db.insertInto('patients').values(await records.encryptRow('patients', twin.id, twin));",
      'console.log(await insertTwin.execute().catch(codeOf)); // 23505',
      // The plugin lets through what the recipe does.
      "console.log((await safe.selectFrom('patients').selectAll().where('ssn_index', 'in', ssn_index).execute()).length); // 0",
      "console.log((await safe.selectFrom('patients').select(['id', 'name']).where('name', 'is not', null).execute()).length); // 1",
      "const next = await records.encryptRow('patients', grace.id, { name: 'Grace Hopper' });",
      "console.log((await safe.updateTable('patients').set(next).where('id', '=', grace.id).executeTakeFirst()).numUpdatedRows); // 1n",
      `await db.updateTable('patients').set({ city: '${lookAlike}' }).where('id', '=', grace.id).execute();`,
      "const all = await db.selectFrom('patients').selectAll().execute();",
      "const read = await records.decryptRows('patients', all, ({ id }) => id);",
      `console.log(read.map(({ city }) => city).sort().join()); // London,${lookAlike}`,
      'await db.destroy();',
    ],
  },
  {
    name: 'TypeORM',
    tools: 'packages/sdk/test/orms/typeorm',
    code: [
      ...shared,
      ...blocksIn('TypeORM'),
      "const { note } = await records.encryptRow('visits', visit.id, visit);",
      "await source.query('insert into visits values ($1, $2, $3)', [visit.id, ada.id, note]);",
      'await source.destroy();',
    ],
  },
  {
    name: 'Sequelize',
    tools: 'packages/sdk/test/orms/sequelize',
    code: [
      ...shared,
      // Passes the address as an object, because Sequelize does not accept a URL with a Unix socket.
      ...blocksIn('Sequelize').map((block) =>
        block.replace(
          'process.env.DATABASE_URL!, {',
          "{ ...JSON.parse(process.env.CONNECTION!), dialect: 'postgres',",
        ),
      ),
      `import { isEncrypted } from '@eaas/sdk/fields';
      import { Model } from 'sequelize';
      const nameOf = (error: Error) => error.name;
      console.log(patient.changed(), patient.get('name'), patient.get('city')); // false Ada London
      const twins = await Patients.bulkCreate([{ ...grace }], { validate: true });
      console.log(twins[0]?.get('name'), twins[0]?.changed()); // Grace false
      await Visits.create({ ...visit });
      const all = await Patients.findAll({ include: Visits, where: { city: 'London' } });
      console.log(all.map((row) => row.get('name')).sort().join()); // Ada,Grace
      console.log(all.flatMap((row) => row.get('visits') as Model[])[0]?.get('note')); // dry cough
      await sequelize.transaction(async (transaction) => {
        const locked = await Patients.findByPk(ada.id, { transaction, lock: true, attributes: ['id', 'name'] });
        await locked?.update({ name: 'Ada L' }, { transaction });
      });
      await found?.reload();
      console.log(found?.get('name'), found?.get('ssn')); // Ada L 987-65-4321
      found?.set({ name: 'not saved', ssn: '111-11-1111' });
      await found?.save({ fields: ['ssn'] });
      console.log(found?.get('name'), (await Patients.findByPk(ada.id))?.get('name')); // not saved Ada L
      const next = await records.where('patients', { ssn: '111111111' });
      console.log(await Patients.count({ where: next })); // 1`,
      // What the hooks refuse, or leave encrypted.
      `const one = { where: { id: ada.id } };
      console.log(await Patients.update({ name: 'x' }, one).catch(nameOf)); // TypeError
      console.log((await Patients.update({ city: '${lookAlike}' }, one))[0]); // 1
      console.log(await Patients.upsert({ ...ada }).catch(nameOf)); // TypeError
      console.log(await Patients.bulkCreate([{ ...ada }], { updateOnDuplicate: ['name'] }).catch(nameOf)); // TypeError
      const [raw] = (await Patients.findAll({ raw: true })) as unknown as StoredPatient[];
      console.log(isEncrypted(raw?.ssn)); // true
      console.log(await Patients.findAll({ attributes: ['name'] }).catch(nameOf)); // FieldError
      const counted = await Patients.findAll({ attributes: [[sequelize.fn('max', sequelize.col('city')), 'city']] });
      console.log(counted[0]?.get('city') === '${lookAlike}'); // true`,
      // A save that fails, a model's own hook, and validators that only see values.
      `const failed = Patients.build({ ...grace, id: randomUUID() });
      console.log(await failed.save().catch(nameOf)); // SequelizeUniqueConstraintError
      console.log(isEncrypted(failed.get('ssn')), await failed.save().catch(nameOf)); // true FieldError
      const short = { type: text, validate: { len: [1, 20] as [number, number] } };
      const Checked = sequelize.define('checked', { id, name: short, ssn: text }, { tableName: 'patients' });
      Checked.addHook('afterSave', (row: Model) => console.log(isEncrypted(row.get('name')))); // true
      await (await Checked.findByPk(ada.id))?.update({ name: 'Ada' });`,
      // An update writes each index of its fields: of a part, under a name of its own, and over several fields.
      `import { part, withFields } from '@eaas/sdk/fields';
      const people = defineFields({
        people: {
          lowEntropy: 'accepted',
          ...unencrypted('id'),
          ssn: field.text().searchableBy({ last4: part.lastCharacters(4) }),
          email: field.text().searchable({ column: 'own_name' }),
          first: field.text().searchableBy({ full: withFields(['last']) }),
          last: field.text(),
        },
      });
      const columns = 'ssn ssn_last4_index email own_name first first_full_index last'.split(' ');
      await sequelize.query(\`create table people (id uuid primary key, \${columns.join(' text, ')} text)\`);
      const ofPeople = people.for(eaas, { index: process.env.EAAS_INDEX_KEY! });
      addEncryption(sequelize, people, ofPeople);
      const attributes = Object.fromEntries(columns.map((name) => [name, text]));
      const People = sequelize.define('people', { id, ...attributes }, { tableName: 'people' });
      const before = { ssn: '123-45-6789', email: 'ada@a.com', first: 'Ada', last: 'King' };
      const person = await People.create({ id: ada.id, ...before });
      await person.update({ ssn: '123-45-0000' });
      await person.update({ email: 'ada@b.com' });
      await (await People.findByPk(ada.id))?.update({ first: 'Eve' });
      const countOf = async (query: object) =>
        People.count({ where: await ofPeople.where('people', query as never) });
      console.log(await countOf({ ssn: { last4: '6789' } }), await countOf({ ssn: { last4: '0000' } })); // 0 1
      console.log(await countOf({ email: 'ada@a.com' }), await countOf({ email: 'ada@b.com' })); // 0 1
      const full = (first: string) => countOf({ first: { full: { first, last: 'King' } } });
      console.log(await full('Ada'), await full('Eve')); // 0 1
      const saved = await People.findByPk(ada.id);
      console.log(['ssn', 'email', 'first', 'last'].map((name) => saved?.get(name)).join()); // 123-45-0000,ada@b.com,Eve,King
      console.log(person.get('last'), person.changed()); // King false`,
      'await sequelize.close();',
    ],
  },
  {
    name: 'Drizzle',
    tools: 'packages/sdk/test/orms/kysely',
    schema: `
      create table patients (id uuid primary key, name text not null, ssn text, ssn_index text unique, born text, notes text);
      create table visits (id uuid primary key, patient_id uuid references patients, city text);
      create table people (id uuid primary key, subject uuid not null unique, name text);
      create table notes (id uuid primary key, patient uuid not null references people (subject), text text);
      create table members (id uuid primary key, name text, email text not null, email_index text unique);
      insert into members values
        ('00000000-0000-4000-8000-000000000001', 'Ada', 'ada@example.com'),
        ('00000000-0000-4000-8000-000000000002', null, 'grace@example.com');`,
    code: [
      `import '${service}';`,
      // Passes the address as an object, because postgres.js does not accept a URL with a Unix socket.
      setup.replace(
        'drizzle(process.env.DATABASE_URL!, {',
        'drizzle({ connection: JSON.parse(process.env.CONNECTION!),',
      ),
      encryptedMembers,
      filling,
      '{',
      encryptedMembers.replace(/^import .*/m, '').replace(/, \{ write: .*? \}\)/, ')'),
      conversion,
      `const [member] = await db.select().from(members).where(eq(members.email, 'ada@example.com'));
       console.log(member?.name); // Ada
       const stored = await plain.$client\`select * from members\`;
       console.log(JSON.stringify(stored).includes('example')); // false
       }`,
      ...ofPeople,
      'await plain.$client.end();',
    ],
  },
];

/** Compiles a recipe with the types of its library, and returns what it prints, and what its comments say. */
async function play({ name, tools, code }: Recipe, env: NodeJS.ProcessEnv = {}) {
  const place = join(await requireTools(tools), '.cache', name);
  const recipe = code.join('\n');
  const encryption = name === 'Sequelize' && { 'encryption.ts': read('examples/sequelize/encryption.ts') };
  const files = { 'recipe.mts': recipe, ...encryption };
  const { compile, run } = await closing(savePageCode(place, files), ({ remove }) => remove());
  expect(await compile()).toBe('');
  return [await run('recipe.mts', env), saidBy(recipe)];
}

test.each(recipes)('the recipe for $name compiles, and prints what its comments say', async (recipe) => {
  const database = await createDatabase();
  const sql = postgres({ ...database.connection('owner'), max: 1 });
  await sql.unsafe(recipe.schema ?? ofThePage);
  const CONNECTION = JSON.stringify(database.connection('owner'));
  const [printed, said] = await play(recipe, { DATABASE_URL: database.url('owner'), CONNECTION });
  expect(printed).toBe(said);
  const stored = await sql`select * from patients join visits on patient_id = patients.id`;
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toMatch(/"Ada"|987-65|dry cough/);
  await sql.end();
  await database.drop();
});
