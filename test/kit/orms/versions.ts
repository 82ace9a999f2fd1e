// Two versions of an app at once on one table, in random order, also between the statements of migrations that are killed. First a
// table and its columns get other names, and then the app leaves Eaas. What all versions write is known, so whatever is lost, half
// written, not found or there twice is noticed.
import { field, plaintext } from '@eaas/sdk/fields';
import { expect, inject } from 'vitest';

export interface Row {
  readonly id: string;
  readonly email: string | null;
  /** Differs in all rows: the database has a unique index. */
  readonly code: string;
}

/** What a version of the app does. */
interface Version {
  insert(row: Row): Promise<unknown>;
  update(id: string, email: string | null): Promise<unknown>;
  find(by: 'email' | 'code', value: string): Promise<readonly string[]>;
  read(): Promise<readonly Row[]>;
}

type Query = (statement: string, parameters: string[]) => unknown;

export interface OpenedVersion {
  readonly version: Version;
  /** Runs the statements of a migration. */
  readonly query: Query;
  readonly migrate: (mode: 'reencrypt' | 'decrypt', query: Query) => Promise<object>;
}

const versions = {
  before: {},
  renamed: { isRenamed: true },
  present: { isRenamed: true, write: 'present' },
  after: {},
  reading: { previous: plaintext(String) },
  writing: { previous: plaintext(String, { write: String }) },
} as const;
export type VersionName = keyof typeof versions;

/** The names of a version's table and columns, and the fields, where the table was called `older` before, and then `newer`. */
export function definedBy(
  name: VersionName,
  older: string,
  newer: string,
  column = (name: string) => `${name}_index`,
) {
  const { isRenamed, ...options } = { isRenamed: false, ...versions[name] };
  const [table, email, code] = name === 'before' ? [older, 'mail', 'tag'] : [newer, 'email', 'code'];
  const from = (own: string) => (isRenamed ? { renamedFrom: { table: older, field: own } } : {});
  const fields = {
    email: field.text({ ...options, ...from('mail') }).searchable({ column: column(email) }),
    code: field
      .text({ ...options, ...from('tag') })
      .searchable({ column: column(code), boundTo: { table: older, field: 'tag' } }),
  };
  return { table, columns: { email, code }, fields };
}

/** Sorts them. */
export const byId = (rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));

/** Plays all versions, and returns the rows that must be there as plaintext at the end. */
export async function playVersions(
  open: (name: VersionName) => OpenedVersion,
  seed = inject('everyCase') ? Date.now() % 2 ** 31 : 1,
): Promise<Row[]> {
  const rows = new Map<string, Row>();
  let state = seed;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const same = (promise: string, is: unknown, expected: unknown) =>
    expect({ promise, seed, is }).toEqual({ promise, seed, is: expected });
  const idsWith = (by: 'email' | 'code', value: string) =>
    [...rows.values()].filter((row) => row[by] === value).map(({ id }) => id);

  async function actOnce(of: readonly OpenedVersion[]): Promise<void> {
    const { version } = of[draw(of.length)] as OpenedVersion;
    const [email, code] = [draw(5) === 0 ? null : `e${draw(6)}@x`, `c${draw(60)}`];
    const known = [...rows.values()][draw(Math.max(1, rows.size))];
    const what = draw(4);
    if (what === 0 || !known) {
      const row = { id: `id-${rows.size}`, email, code };
      const [written] = await Promise.allSettled([version.insert(row)]);
      const expected = idsWith('code', code).length > 0 ? 'rejected' : 'fulfilled';
      same('no duplicate passes a unique index', written.status, expected);
      if (written.status === 'fulfilled') rows.set(row.id, row);
    } else if (what === 1) {
      await version.update(known.id, email);
      rows.set(known.id, { ...known, email });
    } else {
      const [by, value] = what === 2 ? (['email', email ?? 'e0@x'] as const) : (['code', code] as const);
      same(
        'a search finds the right rows',
        new Set(await version.find(by, value)),
        new Set(idsWith(by, value)),
      );
    }
  }

  async function act(of: readonly OpenedVersion[], times: number): Promise<void> {
    for (let time = 0; time < times; time++) await actOnce(of);
    for (const { version } of of)
      same('nothing is lost or half written', byId(await version.read()), byId([...rows.values()]));
  }

  /** Runs a migration of the first version that is killed ten times, while both act, and once more, while it acts alone. */
  async function convert(
    both: readonly [OpenedVersion, OpenedVersion],
    mode: 'reencrypt' | 'decrypt',
  ): Promise<void> {
    const [own] = both;
    const beside =
      (of: readonly OpenedVersion[], lives = Infinity): Query =>
      async (statement, parameters) => {
        if (--lives < 0) throw new Error('killed before');
        if (/^\s*update/.test(statement)) await act(of, 2);
        const result = await own.query(statement, parameters);
        if (lives === 0 && draw(2) === 0) throw new Error('killed after');
        return result;
      };
    for (let kill = 0; kill < 10; kill++) {
      await expect(own.migrate(mode, beside(both, draw(9)))).rejects.toThrow('the database did not');
      await act(both, 3);
    }
    expect(await own.migrate(mode, beside([own]))).toMatchObject({ done: true, left: { count: 0 } });
    await act([own], 5);
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
  return byId([...rows.values()]);
}
