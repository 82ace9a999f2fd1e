import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { saidBy } from '@eaas/test-kit/page-code';
import { folderOf, generateClient, generators, majors, readSchema } from './generated-client.ts';
import { openPrograms, type Programs } from './programs.ts';

const readme = read('packages/prisma/README.md');
const migration = /^## A table that already has rows\n.*?(?=^## )/ms.exec(readme)?.[0] ?? '';
const people = /^## People\n.*?(?=^## )/ms.exec(readme)?.[0] ?? '';
const [start = ''] = blocksOf(readme, 'prisma');
const member = `
model Member {
  id          String  @id @default(uuid())
  name        String?
  email       String  @unique
  email_index String? @unique
}
`;
const models = start.slice(start.indexOf('model '));
const [setup = '', usage = '', client = ''] = blocksOf(readme.replace(migration, ''), 'ts');
const [deployment = ''] = blocksOf(migration, 'ts');
const filling = `
const filled = await migrate(db, 'Member', 'index', { client: eaas });
console.log(filled.done, filled.progress.rewritten); // true 2`;
const conversion = `
const result = await migrate(db, 'Member', 'encrypt', { client: eaas });
console.log(result.done, result.progress.rewritten, result.left.count); // true 2 0`;
const before = `
import { createIndexKey } from '@eaas/sdk/fields';
import { eaas as admin } from '@eaas/test-kit/played-service';
process.env.EAAS_INDEX_KEY = await createIndexKey(admin);
${client
  .replace('./generated/client.ts', './client/client.ts')
  // Passes the address as an object, because pg does not accept a URL with a Unix socket.
  .replace('{ connectionString: process.env.DATABASE_URL! }', 'JSON.parse(process.env.DATABASE!)')}
`;

const after = `
await prisma.$disconnect();
`;

const app = [before, setup, usage, after].join('\n');
const imports = `
import { migrate } from '@eaas/migrate';
import { withEncryption } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
const eaas = new EaasClient();
`;
const ward = [before, imports, ...blocksOf(people, 'ts'), after].join('\n');
const job = [
  before,
  imports,
  `{${deployment.replace(/^import .*/m, '')}`,
  filling,
  '}',
  deployment.replace(/, \{ write: .*? \}\)/, ')'),
  `const before = await db.member.findMany({ orderBy: { id: 'asc' }, select: { name: true, email: true } });
   console.log(before[1]); // { name: null, email: 'grace@example.com' }`,
  // The app changes a row between the read and the write of the run.
  `const { $queryRawUnsafe: query } = prisma;
   prisma.$queryRawUnsafe = (async (statement: string, ...values: string[]) => {
     if (statement.includes('update')) {
       prisma.$queryRawUnsafe = query;
       await db.member.update({ where: { id: '1' }, data: { name: 'Ada Lovelace' } });
     }
     return query.call(prisma, statement, ...values);
   }) as typeof query;`,
  conversion,
  `const ada = await db.member.findUnique({ where: { email: 'ada@example.com' } });
   console.log(ada?.name); // Ada Lovelace`,
  after,
].join('\n');

/** Searches beside the version before, which has changed the second value without its fingerprint. */
const beside = [
  before,
  imports,
  deployment,
  `const [id, email] = ['9', 'eve@example.com'];
   const { email_index } = await fields.for(eaas, { index }).encryptRow('Member', id, { email });
   const sealed = defineFields({ Member: { email: field.text() } }).for(eaas);
   const stored = await sealed.encryptRow('Member', id, { email });
   const data = { id, email: stored.email, email_index: String(email_index) };
   await prisma.member.create({ data });
   const isFound = async (condition: string | { not: string }) =>
     (await db.member.findMany({ where: { email: condition } })).some((member) => member.id === id);
   console.log(await isFound(email), await isFound({ not: email }), await isFound({ not: 'x' })); // true false true
   await prisma.member.update({ where: { id }, data: { email: 'eaasA-eve' } });
   console.log(await isFound(email), await isFound({ not: email }), await isFound('eaasA-eve')); // false true true
   await prisma.member.delete({ where: { id } });`,
  after,
].join('\n');

const tables = `
create table "Patient" (
  id text primary key, subject text not null unique, name text, ssn text not null, ssn_index text unique,
  born text, notes text, city text not null
);
create table "Visit" (id text primary key, note text not null, "patientId" text not null references "Patient" (subject));
create table "Member" (id text primary key, name text, email text not null, email_index text unique);
insert into "Member" values ('1', 'Ada', 'ada@example.com'), ('2', null, 'grace@example.com');
`;

const types = readFileSync(new URL('types.txt', import.meta.url), 'utf8');

describe.each(majors)('Prisma %i', (major) => {
  let programs: Programs;
  let typed: Programs;

  beforeAll(async () => {
    const files = { 'app.mts': app, 'beside.mts': beside, 'job.mts': job, 'ward.mts': ward };
    const schema = models + member;
    programs = await openPrograms(major, 'readme', schema, files);
    typed = await openPrograms(major, 'types', readSchema('clinic'), { 'types.mts': types });
    await generateClient(major, join(folderOf(major, 'types'), 'staff'), readSchema('staff'));
    await programs.sql.unsafe(tables);
    return async () => {
      await programs.close();
      await typed.close();
    };
  });

  test('the code of the README, and the plain types of the extended client compile', async () => {
    expect([await programs.compile(), await typed.compile()]).toEqual(['', '']);
  });

  test('the code in the README prints the text in the code’s comments', async () => {
    expect(saidBy(app).split('\n')).toHaveLength(5);
    expect(await programs.run('app.mts')).toBe(saidBy(app));
    const { sql } = programs;
    const stored = await sql`select * from "Patient" join "Visit" on "patientId" = subject`;
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toMatch(/"Ada"|123-45|1815-|dry cough|"seen/);
  });

  test('the code about people prints the text in its comments', async () => {
    expect(saidBy(ward).split('\n')).toHaveLength(3);
    await programs.sql`truncate "Patient", "Visit"`;
    expect(await programs.run('ward.mts')).toBe(saidBy(ward));
  });

  test('beside the version before, fingerprints count for ciphertexts only', async () => {
    expect(await programs.run('beside.mts')).toBe(saidBy(beside));
  });

  test('the job in the README encrypts rows that the app changes while the job runs', async () => {
    expect(saidBy(job).split('\n')).toHaveLength(5);
    expect(await programs.run('job.mts')).toBe(saidBy(job));
    const stored = await programs.sql`select name, email, email_index is not null as found from "Member"`;
    expect(stored).toMatchObject([{ found: true }, { found: true }]);
    expect(JSON.stringify(stored)).not.toMatch(/"Ada|@example/);
  });

  test('the README has the same Prisma `generator` block as the tests', () => {
    expect(start).toContain(generators[7].trim().replace('./client', '../src/generated'));
  });
});
