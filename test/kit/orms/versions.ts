// Two versions of an app at once on one table, in random order, also between the statements of a migration that is killed. What
// they write is known, so whatever is lost, half written, not found or there twice is noticed.
import { expect, inject } from 'vitest';

export interface Row {
  readonly id: string;
  readonly email: string | null;
  /** Differs in all rows: the database has a unique index. */
  readonly code: string;
}

/** What a version of the app does. */
export interface Version {
  insert(row: Row): Promise<unknown>;
  update(id: string, email: string | null): Promise<unknown>;
  find(by: 'email' | 'code', value: string): Promise<readonly string[]>;
  read(): Promise<readonly Row[]>;
}

type Query = (statement: string, parameters: string[]) => unknown;

const idOf = ({ id }: Row): string => id;

export function openApp(seed = inject('everyCase') ? Date.now() % 2 ** 31 : 1) {
  const rows = new Map<string, Row>();
  let state = seed;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const where = (what: string) => `promise: ${what} (seed ${seed})`;
  const idsWith = (by: 'email' | 'code', value: string) =>
    [...rows.values()]
      .filter((row) => row[by] === value)
      .map(idOf)
      .toSorted();

  async function actOnce(versions: readonly Version[]): Promise<void> {
    const version = versions[draw(versions.length)] as Version;
    const [email, code] = [draw(5) === 0 ? null : `e${draw(6)}@x`, `c${draw(60)}`];
    const known = [...rows.keys()][draw(Math.max(1, rows.size))];
    const what = draw(4);
    if (what === 0 || known === undefined) {
      const row = { id: `id-${rows.size}`, email, code };
      const isWritten = await version.insert(row).then(
        () => true,
        () => false,
      );
      expect(isWritten, where('no duplicate passes a unique index')).toBe(idsWith('code', code).length === 0);
      if (isWritten) rows.set(row.id, row);
    } else if (what === 1) {
      await version.update(known, email);
      rows.set(known, { ...(rows.get(known) as Row), email });
    } else {
      const [by, value] = what === 2 ? (['email', email ?? 'e0@x'] as const) : (['code', code] as const);
      const found = await version.find(by, value);
      expect(found.toSorted(), where('a search finds the right rows')).toEqual(idsWith(by, value));
    }
  }

  async function act(versions: readonly Version[], times: number): Promise<void> {
    for (let time = 0; time < times; time++) await actOnce(versions);
    for (const version of versions) {
      const found = (await version.read()).toSorted((one, other) => (one.id < other.id ? -1 : 1));
      const expected = [...rows.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
      expect(found, where('nothing is lost or half written')).toEqual(expected);
    }
  }

  /** Runs a migration that is killed ten times, while versions act, and once more, while one of them does. */
  async function convert(
    query: Query,
    versions: readonly [Version, ...Version[]],
    migrate: (query: Query) => Promise<object>,
  ): Promise<void> {
    const beside =
      (own: readonly Version[], lives = Infinity): Query =>
      async (statement, parameters) => {
        if (--lives < 0) throw new Error('killed before');
        if (/^\s*update/.test(statement)) await act(own, 2);
        const result = await query(statement, parameters);
        if (lives === 0 && draw(2) === 0) throw new Error('killed after');
        return result;
      };
    for (let kill = 0; kill < 10; kill++) {
      await expect(migrate(beside(versions, draw(9)))).rejects.toThrow('the database did not');
      await act(versions, 3);
    }
    const [last] = versions;
    const done = await migrate(beside([last]));
    expect(done, where('a run without kills ends')).toMatchObject({ done: true, left: { count: 0 } });
    await act([last], 5);
  }

  return { rows, act, convert };
}
