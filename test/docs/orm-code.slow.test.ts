import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../setup/database.ts';
import { requireTools } from '../setup/tools.ts';
import { blocksOf, read, root } from './markdown.ts';

// Runs the recipes of orm.md with the real query builders, each on its own PostgreSQL database.

const before = "import { eaas } from '../../../../../docs/played-service.ts';\n";
const [intro = '', ...sections] = read('packages/sdk/docs/orm.md').split(/^## (?=Kysely|Drizzle)/m);
const recipes = sections.map((section) => ({
  name: /^\w+/.exec(section)?.[0] ?? '',
  code: [before, ...blocksOf(intro, 'ts'), ...blocksOf(section, 'ts'), after(section)].join('\n'),
}));
const [schema = ''] = blocksOf(intro, 'sql');

let place: string;

beforeAll(async () => {
  place = join(await requireTools('orms'), '.cache', 'recipes');
  mkdirSync(place, { recursive: true });
  for (const { name, code } of recipes) writeFileSync(join(place, `${name}.mts`), code);
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noPropertyAccessFromIndexSignature: false },
    include: ['*.mts'],
  };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
}, 120_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Code that is added after a recipe. It checks that storing plaintext does not compile, and closes the connections. */
function after(section: string): string {
  const [insert, end] = section.startsWith('Kysely')
    ? ["db.insertInto('patients').values(twin);", 'await db.destroy();']
    : ['db.insert(patientTable).values(twin);', 'await db.$client.end();'];
  return `// @ts-expect-error: plaintext\n${insert}\n${end}`;
}

function run(args: readonly string[], database?: TestDatabase): Promise<string> {
  const env = { ...process.env, DATABASE_URL: database?.url('owner') };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: place, env }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

test('orm.md has recipes for Kysely and Drizzle', () => {
  expect(recipes.map(({ name }) => name)).toEqual(['Kysely', 'Drizzle']);
});

test('the recipes type-check with the types of the query builders', async () => {
  expect(await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', place])).toBe('');
}, 120_000);

test.each(recipes)(
  'the recipe for $name prints what its comments say',
  async ({ name, code }) => {
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
