import { EncryptedTableError } from '@eaas/drizzle/pg';
import { FieldError } from '@eaas/sdk/fields';
import { holdsCiphertext } from '@eaas/sdk/internal';
import { expect } from 'vitest';
import { type Cell, cellsOf, ids } from './cell.ts';
import { type Kind, kinds, plaintext, titles, values } from './kinds.ts';
import type { Place } from './place.ts';
import { read, tablesOf } from '@eaas/test-kit/markdown';
import { reads } from './reads.ts';
import { writes } from './writes.ts';

export interface Dialect {
  readonly name: string;
  readonly place: Pick<Place, 'db' | 'samples' | 'children' | 'raw'>;
  readonly sql: (statement: string) => Promise<readonly Record<string, string | null>[]>;
}

/** Runs every operation of the dialect on every kind of column, and returns `yes` or the code that it threw. */
export async function outcomesOf(dialect: Dialect): Promise<Record<string, Outcomes>> {
  const cells = [...writes, ...reads]
    .flatMap(cellsOf)
    .filter(({ dialects }) => dialects?.includes(dialect.name) ?? true);
  const found: Record<string, Outcomes> = {};
  for (const cell of cells) {
    const outcomes: Outcomes = {};
    for (const kind of kinds) outcomes[titles[kind]] = await outcomeOf(dialect, cell, kind);
    found[`${cell.operation}: ${cell.shape}`] = outcomes;
  }
  return found;
}

type Outcomes = Record<string, string>;

/** Returns the outcomes that docs/operations.md promises for the dialect. */
export function promisedTo(dialect: string): Record<string, Outcomes> {
  const page = read('packages/drizzle/docs/operations.md');
  const outcomes: Record<string, Outcomes> = {};
  const add = (operation: string, shapes: string, outcomeOfKind: Outcomes): void => {
    for (const text of shapes.split('; ')) {
      const [, shape = text, dialects = dialect] =
        /^(.*) \(((?:PostgreSQL|MySQL|SQLite|, )+)\)$/.exec(text) ?? [];
      if (dialects.includes(dialect)) outcomes[`${operation}: ${shape}`] = outcomeOfKind;
    }
  };
  const allWork = Object.fromEntries(kinds.map((kind) => [titles[kind], 'yes']));
  for (const [, operation = '', shapes = ''] of page.matchAll(/^- (.+?): (.+?)\.$/gms)) {
    add(operation, shapes.replace(/\n */g, ' '), allWork);
  }
  for (const { head, rows } of tablesOf(page)) {
    for (const [operation = '', shapes = '', ...cells] of rows) {
      const ofKinds = head
        .slice(2)
        .flatMap((names, at) => names.split('; ').map((name) => [name, cells[at]]));
      add(operation, shapes, Object.fromEntries(ofKinds) as Outcomes);
    }
  }
  return outcomes;
}

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
    if (!(error instanceof EncryptedTableError) && !(error instanceof FieldError)) {
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
