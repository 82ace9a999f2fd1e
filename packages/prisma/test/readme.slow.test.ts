import { execFile } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { folderOf, generateClient, generators, majors, readSchema, schema } from './generated-client.ts';

const readme = read('packages/prisma/README.md');
const migration = /^## A table that already has rows\n.*?(?=^## )/ms.exec(readme)?.[0] ?? '';
const people = /^## People\n.*?(?=^## )/ms.exec(readme)?.[0] ?? '';
const [start = '', member = ''] = blocksOf(readme, 'prisma');
const models = start.slice(start.indexOf('model '));
const [setup = '', usage = '', client = ''] = blocksOf(readme.replace(migration, ''), 'ts');
const [deployment = '', ...conversion] = blocksOf(migration, 'ts');
const config = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: { noPropertyAccessFromIndexSignature: false },
  include: ['*.mts'],
  exclude: ['**/node_modules'],
};

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

const app = [before, setup, usage, after];
const imports = `
import { encrypted } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
const eaas = new EaasClient();
`;
const ward = [before, imports, ...blocksOf(people, 'ts'), after];
const job = [
  before,
  imports,
  deployment,
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
  ...conversion,
  `const ada = await db.member.findUnique({ where: { email: 'ada@example.com' } });
   console.log(ada?.name); // Ada Lovelace`,
  after,
];

const tables = `
create table "Patient" (
  id text primary key, name text, ssn text not null, ssn_index text unique, born text, notes text, city text not null
);
create table "Visit" (id text primary key, note text not null, "patientId" text not null references "Patient" (id));
create table "Member" (id text primary key, name text, email text not null, email_index text unique);
insert into "Member" values ('1', 'Ada', 'ada@example.com'), ('2', null, 'grace@example.com');
`;

function saidBy(program: readonly string[]): (string | undefined)[] {
  return program.flatMap((code) =>
    Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, output]) => output),
  );
}

describe.each(majors)('Prisma %i', (major) => {
  const folder = folderOf(major, 'readme');
  const types = folderOf(major, 'types');
  const staffTypes = folderOf(major, 'staff-types');

  let database: TestDatabase;
  let sql: postgres.Sql;

  beforeAll(async () => {
    await generateClient(major, folder, models + member);
    await generateClient(major, types, schema);
    await generateClient(major, staffTypes, readSchema('staff.prisma'));
    writeFileSync(join(folder, 'app.mts'), app.join('\n'));
    writeFileSync(join(folder, 'job.mts'), job.join('\n'));
    writeFileSync(join(folder, 'ward.mts'), ward.join('\n'));
    copyFileSync(new URL('types.txt', import.meta.url), join(types, 'types.mts'));
    for (const each of [folder, types]) writeFileSync(join(each, 'tsconfig.json'), JSON.stringify(config));
    database = await createDatabase();
    sql = postgres({ ...database.connection('owner'), max: 1 });
    await sql.unsafe(tables);
  });

  afterAll(async () => {
    await sql.end();
    await database.drop();
    for (const each of [folder, types, staffTypes]) rmSync(each, { recursive: true, force: true });
  });

  function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const options = { cwd: folder, env: { ...process.env, ...env } };
    return new Promise((resolve) => {
      execFile(process.execPath, args, options, (_, stdout, stderr) => resolve(stdout + stderr));
    });
  }

  test('encryption takes at most 12 lines in the README’s app', () => {
    const lines = setup.split('\n').filter((line) => line.trim() !== '');
    const columns = models.split('\n').filter((line) => line.includes('_index'));
    expect(lines.length + columns.length).toBeLessThanOrEqual(12);
  });

  test.each([
    ['the code of the README', folder],
    ['the plain types of the extended client', types],
  ])('%s compile', async (_name, project) => {
    expect(await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', project])).toBe('');
  });

  function runProgram(file: string): Promise<string> {
    const { host, port, database: name, username } = database.connection('owner');
    const program = ['--no-deprecation', '--conditions=@eaas/source', '--import', 'tsx', join(folder, file)];
    return run(program, { DATABASE: JSON.stringify({ host, port, database: name, user: username }) });
  }

  test('the code in the README prints the text in the code’s comments', async () => {
    expect(saidBy(app)).toHaveLength(4);
    expect(await runProgram('app.mts')).toBe(`${saidBy(app).join('\n')}\n`);
    const stored = await sql`select * from "Patient" join "Visit" on "patientId" = "Patient".id`;
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toMatch(/"Ada"|123-45|1815|dry cough|seen/);
  });

  test('the code about people prints the text in its comments', async () => {
    expect(saidBy(ward)).toHaveLength(2);
    await sql`truncate "Patient", "Visit"`;
    expect(await runProgram('ward.mts')).toBe(`${saidBy(ward).join('\n')}\n`);
    expect(JSON.stringify(await sql`select * from "Visit"`)).not.toMatch(/rash|healed/);
  });

  test('the job in the README encrypts rows that the app changes while the job runs', async () => {
    expect(saidBy(job)).toHaveLength(3);
    expect(await runProgram('job.mts')).toBe(`${saidBy(job).join('\n')}\n`);
    const stored = await sql`select name, email, email_index is not null as found from "Member"`;
    expect(stored).toHaveLength(2);
    expect(stored.every(({ found }) => found)).toBe(true);
    expect(JSON.stringify(stored)).not.toMatch(/Ada|example/);
  });

  test('the README has the same Prisma `generator` block as the tests', () => {
    expect(start).toContain(generators[7].trim().replace('./client', '../src/generated'));
  });
});
