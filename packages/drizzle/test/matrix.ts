import { EncryptedTableError } from '@eaas/drizzle/pg';
import { FieldError } from '@eaas/sdk/fields';
import { expect } from 'vitest';
import { type Cell, cellsOf, ids } from './cell.ts';
import { type Kind, kinds, plaintext, values } from './kinds.ts';
import type { Place } from './place.ts';
import { reads } from './reads.ts';
import { writes } from './writes.ts';

export interface Dialect {
  readonly name: string;
  readonly place: Pick<Place, 'db' | 'samples' | 'children' | 'raw'>;
  readonly sql: (statement: string) => Promise<readonly Record<string, string | null>[]>;
}

/**
 * Runs every operation of the dialect on every kind of column. Returns the text of the file from which `npm run generate`
 * writes docs/operations.md: `yes`, or the code that was thrown, for each kind.
 */
export async function outcomesOf(dialect: Dialect): Promise<string> {
  const cells = [...writes, ...reads]
    .flatMap(cellsOf)
    .filter(({ dialects }) => dialects?.includes(dialect.name) ?? true);
  const found: Record<string, Record<string, string>> = {};
  for (const cell of cells) {
    const outcomes: string[] = [];
    for (const kind of kinds) outcomes.push(await outcomeOf(dialect, cell, kind));
    (found[cell.operation] ??= {})[cell.shape] = outcomes.join(' ');
  }
  return `${JSON.stringify(found, undefined, 2)}\n`;
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
    expect(JSON.stringify(result ?? null, bigintAsText)).not.toMatch(/"eaas[A-Za-z\d+/]{32}/);
    return 'yes';
  } catch (error) {
    if (!(error instanceof EncryptedTableError) && !(error instanceof FieldError)) {
      throw new Error(`${cell.operation}, ${cell.shape}, ${kind}`, { cause: error });
    }
    expect(error.message).not.toMatch(plaintext);
    expect(await sql('select * from samples order by id')).toEqual(before);
    return error.code;
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
