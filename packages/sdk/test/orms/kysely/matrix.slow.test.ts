import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EaasError } from '@eaas/sdk';
import { checkConstraints, defineFields, field, holdsCiphertext, unencrypted } from '@eaas/sdk/fields';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { requireTools } from '@eaas/test-kit/tools';
import { createClient } from '@eaas/test-kit/orms/client';
import { type Kind, kinds, plaintext, titles, values } from '@eaas/test-kit/orms/kinds';
import { listOf, type OutcomeRow, outcomeTable, works } from '@eaas/test-kit/orms/outcomes';
import { type Builder, cells, ids } from './cells.ts';

interface Kysely extends Builder {
  destroy(): Promise<void>;
}
type Row = Record<string, unknown>;
type Stored = Record<string, string | null>;

const fields = defineFields({
  samples: {
    lowEntropy: 'accepted',
    ...unencrypted('id', 'city'),
    text: field.text().searchable(),
    note: field.text(),
    number: field.number().searchable(),
    bigint: field.bigint().searchable(),
    boolean: field.boolean().searchable(),
    date: field.date().searchable(),
    bytes: field.bytes(),
    json: field.json(),
  },
});
const indexes = ['text', 'number', 'bigint', 'boolean', 'date'].map((kind) => `${kind}_index`);

const page = 'packages/sdk/docs/orm.md';
const here = fileURLToPath(new URL('.', import.meta.url));
const generated = join(here, 'generated');
let database: TestDatabase;
let db: Kysely;
let plain: Kysely;
let run: (statement: string) => Promise<Row[]>;

beforeAll(async () => {
  const load = createRequire(join(await requireTools('packages/sdk/test/orms/kysely'), 'index.js'));
  const { Kysely, PostgresDialect } = load('kysely') as {
    Kysely: new (options: object) => Kysely;
    PostgresDialect: new (options: object) => object;
  };
  const { Pool } = load('pg') as {
    Pool: new (options: object) => { query(statement: string): Promise<{ rows: Row[] }> };
  };
  database = await createDatabase();
  const pool = new Pool({ connectionString: database.url('owner') });
  run = async (statement) => (await pool.query(statement)).rows;
  const columns = [...kinds, ...indexes].map((name) => `"${name}" text`).join();
  await run(`create table samples (id text primary key, city text, ${columns});
    create table children (id text primary key, parent_id text references samples, remark text);
    ${checkConstraints(fields, 'samples')}`);
  const dialect = new PostgresDialect({ pool });
  plain = new Kysely({ dialect });
  db = new Kysely({ dialect, plugins: [await loadGuard()] });
});

afterAll(async () => {
  await plain.destroy();
  await database.drop();
  rmSync(generated, { recursive: true, force: true });
});

async function loadGuard(): Promise<unknown> {
  const code = blocksOf(read(page), 'ts').find((block) => block.includes('KyselyPlugin'));
  const [guard = ''] = code?.split('const sorted') ?? [];
  const named = guard.replace(/new Set\(.*\)/, `new Set(${JSON.stringify(kinds)})`);
  expect(named).toContain(JSON.stringify(kinds));
  mkdirSync(generated, { recursive: true });
  const file = join(generated, 'guard.ts');
  writeFileSync(file, `${named}\nexport { guard };\n`);
  return ((await import(pathToFileURL(file).href)) as { guard: unknown }).guard;
}

test('every operation of Kysely works or throws, as the table in orm.md says', async () => {
  const { eaas, index } = await createClient();
  const records = fields.for(eaas, { index });
  const encrypt = async (id: string, row: Row): Promise<Row> =>
    records.encryptRow('samples', id, row as never);
  const rowOf = (at: number): Row => Object.fromEntries(kinds.map((kind) => [kind, values[kind][at]]));
  const first = await encrypt(ids.one, { id: ids.one, city: 'London', ...rowOf(0) });
  const second = await encrypt(ids.two, { id: ids.two, city: 'Paris', ...rowOf(1) });

  const outcomeOf = async (cell: (typeof cells)[number], kind: Kind): Promise<string> => {
    await run('delete from children; delete from samples');
    await plain.insertInto('samples').values([first, second]).execute();
    await run(`insert into children values ('${ids.one}', '${ids.one}', 'a remark')`);
    const before = await run('select * from samples order by id');
    try {
      const result = await cell.run({
        db,
        kind,
        value: values[kind][0],
        other: values[kind][2],
        encrypt,
        where: async (value) => {
          const terms: Readonly<Record<string, string[]>> = await records.where('samples', {
            [kind]: value,
          } as never);
          return Object.values(terms)[0] ?? [];
        },
        decrypt: async (rows) =>
          records.decryptRows('samples', rows as never, ({ id }: { id: string }) => id),
        values: async () => {
          const rows = await run('select * from samples order by id');
          const opened = await records.decryptRows('samples', rows as never, ({ id }: { id: string }) => id);
          return (opened as Row[]).map((row) => row[kind]);
        },
      });
      expect(holdsCiphertext(result)).toBe(false);
      return 'yes';
    } catch (error) {
      expectEqual(plaintext.test(String(error)), false);
      expectEqual(await run('select * from samples order by id'), before);
      return `\`${codeOf(error)}\``;
    } finally {
      for (const row of (await run('select * from samples')) as Stored[]) {
        for (const [name, value] of Object.entries(row)) {
          if (value === null) continue;
          if (name === 'id' || name === 'city') expectEqual(value.includes('eaas'), false);
          else
            expectEqual(
              (name.endsWith('_index') ? /^[0-9a-f]{64}$/ : /^eaasA[\w+/=]{100,}$/).test(value),
              true,
            );
        }
      }
    }
  };

  const rows: OutcomeRow[] = [];
  for (const cell of cells) {
    const outcomes: string[] = [];
    for (const kind of kinds) outcomes.push(await outcomeOf(cell, kind));
    rows.push({ title: cell.operation, outcomes });
  }
  const working = rows.filter(works).map(({ title }) => title);
  const others = rows.filter((row) => !works(row));
  const names = kinds.map((kind) => titles[kind]);
  expect(read(page)).toContain(
    `${listOf('These work on every type of field:', working)}\n\n${outcomeTable(['operation'], names, others)}\n`,
  );
});

function expectEqual(found: unknown, wanted: unknown): void {
  expect(found).toEqual(wanted);
}

function codeOf(error: unknown): string {
  if (error instanceof TypeError && error.message.includes('is encrypted')) return 'refused';
  if (error instanceof EaasError) return error.code;
  if (error instanceof Error && 'code' in error && error.code === '23514') return '23514';
  throw error;
}
