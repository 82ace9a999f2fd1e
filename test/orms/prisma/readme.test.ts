import { execFile } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, read, root } from '../../docs/markdown.ts';
import { createDatabase, type TestDatabase } from '../../setup/database.ts';
import { folderOf, generateClient, majors, readSchema, schema } from './generated-client.ts';

const readme = read('packages/prisma/README.md');
const [models = ''] = blocksOf(readme, 'prisma');
const [setup = '', ...usage] = blocksOf(readme, 'ts');
const config = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: { noPropertyAccessFromIndexSignature: false },
  include: ['*.mts'],
  exclude: ['**/node_modules'],
};

const before = `
import { createIndexKey } from '@eaas/sdk/fields';
import { PrismaPg } from '@prisma/adapter-pg';
import { eaas as admin } from '../../../../docs/played-service.ts';
import { PrismaClient } from './client/client.ts';
process.env.EAAS_INDEX_KEY = await createIndexKey(admin);
const prisma = new PrismaClient({ adapter: new PrismaPg(JSON.parse(process.env.DATABASE!)) });
`;

const after = `
await prisma.$disconnect();
`;

const tables = `
create table "Patient" (
  id text primary key, name text, ssn text not null, ssn_index text unique, born text, notes text, city text not null
);
create table "Visit" (id text primary key, note text not null, "patientId" text not null references "Patient" (id));
`;

describe.each(majors)('Prisma %i', (major) => {
  const folder = folderOf(major, 'readme');
  const types = folderOf(major, 'types');
  const staffTypes = folderOf(major, 'staff-types');

  let database: TestDatabase;

  beforeAll(async () => {
    await generateClient(major, folder, models);
    await generateClient(major, types, schema);
    await generateClient(major, staffTypes, readSchema('staff.prisma'));
    writeFileSync(join(folder, 'app.mts'), [before, setup, ...usage, after].join('\n'));
    copyFileSync(new URL('types.txt', import.meta.url), join(types, 'types.mts'));
    for (const each of [folder, types]) writeFileSync(join(each, 'tsconfig.json'), JSON.stringify(config));
    database = await createDatabase();
  });

  afterAll(async () => {
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

  test('the code in the README prints the text in the code’s comments', async () => {
    const { host, port, database: name, username } = database.connection('owner');
    const sql = postgres({ ...database.connection('owner'), max: 1 });
    await sql.unsafe(tables);
    const said = usage.flatMap((code) =>
      Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, output]) => output),
    );
    expect(said).toHaveLength(4);
    const app = ['--no-deprecation', '--conditions=@eaas/source', '--import', 'tsx', join(folder, 'app.mts')];
    const env = { DATABASE: JSON.stringify({ host, port, database: name, user: username }) };
    expect(await run(app, env)).toBe(`${said.join('\n')}\n`);
    const stored = await sql`select * from "Patient" join "Visit" on "patientId" = "Patient".id`;
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toMatch(/"Ada"|123-45|1815|dry cough|seen/);
    await sql.end();
  });
});
