import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../setup/database.ts';
import { requireTools } from '../setup/tools.ts';
import { blocksOf, read, root } from './markdown.ts';

// Runs the recipe of orm.md and the README of @eaas/drizzle with the real query builders, each on its own PostgreSQL
// database.

const service = '../../../../../docs/played-service.ts';
const [intro = '', kysely = ''] = read('packages/sdk/docs/orm.md').split(/^## (?=Kysely)/m);
const recipes = [
  {
    name: 'Kysely',
    schema: blocksOf(intro, 'sql').join(''),
    code: [
      `import { eaas } from '${service}';`,
      ...blocksOf(`${intro}\n${kysely}`, 'ts'),
      '// @ts-expect-error: plaintext',
      "db.insertInto('patients').values(twin);",
      'await db.destroy();',
    ].join('\n'),
  },
  {
    name: 'Drizzle',
    schema: `
      create table patients (id uuid primary key, name text not null, ssn text, ssn_index text unique, born text, notes text);
      create table visits (id uuid primary key, patient_id uuid references patients, city text);`,
    code: [
      `import { eaas as played } from '${service}';`,
      "import { createIndexKey } from '@eaas/sdk/fields';",
      "process.env['EAAS_INDEX_KEY'] = await createIndexKey(played);",
      // postgres.js does not accept the URL of a Unix socket.
      ...blocksOf(read('packages/drizzle/README.md'), 'ts').map((code) =>
        code.replace(
          'drizzle(process.env.DATABASE_URL!, {',
          'drizzle({ connection: JSON.parse(process.env.CONNECTION!),',
        ),
      ),
      '// @ts-expect-error: ciphertexts',
      'void (() => db.select().from(patients).orderBy(patients.name));',
      'await plain.$client.end();',
    ].join('\n'),
  },
];

let place: string;

beforeAll(async () => {
  place = join(await requireTools('orms'), '.cache', 'recipes');
  mkdirSync(place, { recursive: true });
  for (const { name, code } of recipes) writeFileSync(join(place, `${name}.mts`), code);
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noPropertyAccessFromIndexSignature: false },
    include: ['*.mts'],
    exclude: [],
  };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
}, 120_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

function run(args: readonly string[], database?: TestDatabase): Promise<string> {
  const connection = JSON.stringify(database?.connection('owner'));
  const env = { ...process.env, DATABASE_URL: database?.url('owner'), CONNECTION: connection };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: place, env }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

test('the recipes compile with the types of the query builders', async () => {
  expect(await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', place])).toBe('');
}, 120_000);

test.each(recipes)(
  'the recipe for $name prints what its comments say',
  async ({ name, code, schema }) => {
    const database = await createDatabase();
    const sql = postgres({ ...database.connection('owner'), max: 1 });
    await sql.unsafe(schema);
    const said = Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, output]) => `${output}\n`);
    const args = ['--conditions=@eaas/source', '--import', 'tsx', join(place, `${name}.mts`)];
    expect(await run(args, database)).toBe(said.join(''));
    const stored = await sql`select * from patients join visits on patient_id = patients.id`;
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toMatch(/"Ada"|987-65|dry cough/);
    await sql.end();
    await database.drop();
  },
  120_000,
);
