import { EncryptedColumnError } from '@eaas/drizzle/pg';
import { FieldError, holdsCiphertext } from '@eaas/sdk/fields';
import { expect } from 'vitest';
import { type Cell, ids } from './cell.ts';
import { type Kind, kinds, plaintext, titles, values } from '@eaas/test-kit/orms/kinds';
import type { Place } from './place.ts';
import { grouped, listOf, type OutcomeRow, outcomeTable, works } from '@eaas/test-kit/orms/outcomes';
import { reads } from './reads.ts';
import { writes } from './writes.ts';

export interface Dialect {
  readonly name: string;
  readonly place: Pick<Place, 'db' | 'samples' | 'children' | 'raw'>;
  readonly sql: (statement: string) => Promise<readonly Record<string, string | null>[]>;
}

export async function pageOf(dialect: Dialect): Promise<string> {
  const cells = [...writes, ...reads].filter(({ dialects }) => dialects?.includes(dialect.name) ?? true);
  const rows: OutcomeRow[] = [];
  for (const cell of cells) {
    const outcomes: string[] = [];
    for (const kind of kinds) outcomes.push(await outcomeOf(dialect, cell, kind));
    rows.push({ operation: cell.operation, title: cell.shape, outcomes });
  }
  return pageWith(dialect.name, rows);
}

function pageWith(name: string, rows: readonly OutcomeRow[]): string {
  const working = grouped(rows.filter(works), ({ operation = '' }) => operation).map((group) =>
    listOf(
      `- ${group[0].operation}:`,
      group.map(({ title }) => title),
      '  ',
    ),
  );
  const others = outcomeTable(
    ['operation', 'shape'],
    kinds.map((kind) => titles[kind]),
    rows.filter((row) => !works(row)),
  );
  const parts = [
    `# What works with ${name}`,
    introduction,
    'These operations work on every kind of column:',
    working.join('\n'),
    'The other operations:',
    others,
  ];
  return `${parts.join('\n\n')}\n`;
}

const introduction = `A test runs each operation and writes this page. If an operation throws an error and changes nothing, the table shows
the error's code. The test also checks that encrypted columns hold no plaintext, and that other columns hold no
ciphertext.`;

async function outcomeOf(dialect: Dialect, cell: Cell, kind: Kind): Promise<string> {
  const { place, sql } = dialect;
  const [first, second, third] = values[kind] as readonly unknown[] as readonly never[];
  await sql('delete from children');
  await sql('delete from samples');
  const [one, two] = [0, 1].map((at) => Object.fromEntries(kinds.map((name) => [name, values[name][at]])));
  await place.db.insert(place.samples).values([
    { id: ids.one, city: 'London', code: 'PLAIN-1', ...one },
    { id: ids.two, city: 'Paris', code: 'PLAIN-2', ...two },
  ] as never);
  await place.db.insert(place.children).values({ id: ids.one, parentId: ids.one, remark: 'PLAIN remark' });
  const before = await sql('select * from samples order by id');
  const ciphertext = async (): Promise<never> => before[0]?.[kind] as never;
  try {
    const result = await cell.run({
      ...place,
      kind,
      first: first as never,
      second: second as never,
      third: third as never,
      other: { [kind]: third as never },
      ciphertext,
    });
    expect(holdsCiphertext(JSON.parse(JSON.stringify(result ?? null, bigintAsText)))).toBe(false);
    return 'yes';
  } catch (error) {
    if (!(error instanceof EncryptedColumnError) && !(error instanceof FieldError)) {
      throw new Error(`${cell.operation}, ${cell.shape}, ${kind}`, { cause: error });
    }
    expect(error.message).not.toMatch(plaintext);
    expect(await sql('select * from samples order by id')).toEqual(before);
    return `\`${error.code}\``;
  } finally {
    await expectNoLeak(dialect);
  }
}

async function expectNoLeak({ sql }: Dialect): Promise<void> {
  const [samples, children] = [await sql('select * from samples'), await sql('select * from children')];
  expect(JSON.stringify(children)).not.toContain('eaasA');
  for (const row of samples) {
    for (const [name, value] of Object.entries(row)) {
      if (value === null) continue;
      if (name === 'id' || name === 'city') expect(value).not.toContain('eaas');
      else expect(value).toMatch(name.endsWith('_index') ? /^[0-9a-f]{64}$/ : /^eaasA[\w+/=]{100,}$/);
    }
  }
}

const bigintAsText = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;
