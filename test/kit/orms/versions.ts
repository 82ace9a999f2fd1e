// Two versions of an app at once on one table, in random order, also between the statements of migrations that are killed. First a
// table and its columns get other names, and then the app leaves Eaas. What all versions write is known, so whatever is lost, half
// written, not found or there twice is noticed.
import { migrate, type SqlDatabase } from '@eaas/migrate';
import { field, type FieldOptions, plaintext } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, inject } from 'vitest';

export const { eaas, index } = await createClient();
export type Row = Readonly<Record<string, unknown>>;

/** A version of the app, whose rows have the columns of its own definition. */
export interface App {
  insert(row: Row): Promise<unknown>;
  update(id: string, row: Row): Promise<unknown>;
  /** The rows in which a column has a value, or all. */
  select(column?: string, value?: string): Promise<readonly Row[]>;
  /** What `$encryptedTable` returns. */
  readonly source: { readonly database: SqlDatabase };
}

type Was = { readonly table: string; readonly field: string };

const versions = {
  before: () => ({}),
  renamed: (renamedFrom) => ({ renamedFrom }),
  present: (renamedFrom) => ({ renamedFrom, write: 'present' }),
  after: () => ({}),
  reading: () => ({ previous: plaintext(String) }),
  writing: () => ({ previous: plaintext(String, { write: String }) }),
} satisfies Record<string, (was: Was) => FieldOptions<string>>;
export type VersionName = keyof typeof versions;

/** The table `users` was called `people` before. `code` differs in all rows: the database has a unique index. */
export function definedBy(name: VersionName) {
  const isOld = name === 'before';
  const [table, email, code] = isOld ? ['people', 'mail', 'tag'] : ['users', 'email', 'code'];
  const fieldOf = (was: Was) => field.text(versions[name](was));
  const tag = { table: 'people', field: 'tag' };
  const columns = {
    [email]: fieldOf({ table: 'people', field: 'mail' }).searchable(),
    [code]: fieldOf(tag).searchable({ boundTo: tag }),
  };
  return { table, email, code, columns };
}

const sorted = (rows: readonly Row[]) =>
  rows.toSorted((one, other) => String(one['id']).localeCompare(String(other['id'])));

/** Plays all versions. `plain` reads the table past Eaas. */
export async function playVersions(
  appOf: (name: VersionName) => App,
  plain: () => Promise<readonly Row[]>,
): Promise<void> {
  const seed = inject('everyCase') ? Date.now() % 2 ** 31 : 1;
  const rows: { readonly id: string; email: string | null; readonly code: string }[] = [];
  let state = seed;
  const draw = (below: number): number => {
    state = (state * 16_807) % 2_147_483_647;
    return state % below;
  };
  const open = (name: VersionName) => ({ ...definedBy(name), ...appOf(name) });
  type Opened = ReturnType<typeof open>;

  async function look(of: Opened, by?: 'email' | 'code', value?: string): Promise<void> {
    const found = await of.select(by && of[by], value);
    const sought = rows.filter((row) => by === undefined || row[by] === value);
    const expected = sought.map(({ id, email, code }) => ({ id, [of.email]: email, [of.code]: code }));
    expect({ seed, by, value, rows: sorted(found) }).toMatchObject({ rows: sorted(expected) });
  }

  async function actOnce(of: Opened): Promise<void> {
    const [email, code] = [draw(5) === 0 ? null : `e${draw(6)}@x`, `c${draw(60)}`];
    const known = rows[draw(Math.max(1, rows.length))];
    const what = draw(4);
    if (what === 0 || !known) {
      const id = `id-${rows.length}`;
      const inserting = of.insert({ id, [of.email]: email, [of.code]: code });
      const [{ status }] = await Promise.allSettled([inserting]);
      const isTaken = rows.some((row) => row.code === code);
      expect({ seed, code, status }).toMatchObject({ status: isTaken ? 'rejected' : 'fulfilled' });
      if (!isTaken) rows.push({ id, email, code });
    } else if (what === 1) {
      await of.update(known.id, { [of.email]: email });
      known.email = email;
    } else if (what === 2) await look(of, 'email', email ?? 'e0@x');
    else await look(of, 'code', code);
  }

  async function act(of: readonly Opened[], times: number): Promise<void> {
    for (let time = 0; time < times; time++) await actOnce(of[draw(of.length)] as Opened);
    for (const version of of) await look(version);
  }

  /** Runs a migration of the first version that is killed ten times, while both act, and once more, while it acts alone. */
  async function convert(both: readonly [Opened, Opened], mode: 'reencrypt' | 'decrypt'): Promise<void> {
    const [{ source, table }] = both;
    const run = async (of: readonly Opened[], lives = Infinity) => {
      async function query(statement: string, parameters: string[]): Promise<unknown> {
        if (--lives < 0) throw new Error('killed before');
        if (/^\s*update/.test(statement)) await act(of, 2);
        const result = await source.database.query(statement, parameters);
        if (lives === 0 && draw(2) === 0) throw new Error('killed after');
        return result;
      }
      const own = { ...source, database: { ...source.database, query } };
      return migrate({ $encryptedTable: () => own as never }, table, mode, { client: eaas, pageSize: 4 });
    };
    for (let kill = 0; kill < 10; kill++) {
      await expect(run(both, draw(9))).rejects.toThrow('the database did not');
      await act(both, 3);
    }
    expect(await run([both[0]])).toMatchObject({ done: true, left: { count: 0 } });
    await act([both[0]], 5);
  }

  const [v1, v2, v3, v4] = [open('before'), open('renamed'), open('present'), open('after')];
  await act([v1], 12);
  await act([v1, v2], 30);
  await act([v2, v3], 30);
  await convert([v3, v2], 'reencrypt');
  await act([v4], 20);
  const [reading, writing] = [open('reading'), open('writing')];
  await act([v4, reading], 10);
  await act([reading, writing], 30);
  await convert([writing, reading], 'decrypt');
  expect(sorted(await plain())).toEqual(sorted(rows));
}
