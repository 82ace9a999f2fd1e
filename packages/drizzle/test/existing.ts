import type { SQL } from 'drizzle-orm';
import type { Migration } from '@eaas/migrate';
import { expect } from 'vitest';

type Stored = Readonly<Record<string, string | null>>;

export interface ExistingPlace {
  readonly plain: object;
  /** The method of `plain` that runs raw SQL. */
  readonly method: 'execute' | 'all';
  /** Runs raw SQL, without Drizzle. */
  readonly sql: (statement: string) => Promise<unknown>;
  /** Returns the stored rows, in the order of their ids. */
  readonly stored: () => Promise<readonly Stored[]>;
  /** The decrypted rows, in the order of their ids. */
  readonly opened: () => Promise<readonly Stored[]>;
  /** Has the service rotate the key. */
  readonly rotate: () => Promise<unknown>;
  readonly migrate: (database: object, mode: 'encrypt' | 'rewrap') => Promise<Migration>;
}

const names = ['Ada', null, 'ÀDA 🙂 "quoted" ', "O'Neill", '', 'eaasAhead', 'ada'];

/** Encrypts a table, while the app changes a row, and rotates its key. */
export async function expectExisting({
  plain,
  method,
  sql,
  stored,
  opened,
  rotate,
  migrate,
}: ExistingPlace): Promise<void> {
  const quote = (text: string | null) => (text === null ? 'null' : `'${text.replaceAll("'", "''")}'`);
  for (const [at, name] of names.entries()) {
    await sql(
      `insert into members (id, name, email) values ('id-${at}', ${quote(name)}, 'member${at}@example.com')`,
    );
  }
  let isChanged = false;
  const racing = new Proxy(plain, {
    get(target, name) {
      const run: unknown = Reflect.get(target, name);
      if (name !== method) return run;
      return async (statement: SQL): Promise<unknown> => {
        // The app changes only the case of a name, between the read and the write of its row.
        if (!isChanged && JSON.stringify(statement.queryChunks).includes('update')) {
          isChanged = true;
          await sql("update members set name = 'ADA' where id = 'id-0'");
        }
        return (run as (statement: SQL) => unknown).call(target, statement);
      };
    },
  });
  const first = await migrate(racing, 'encrypt');
  expect(first).toMatchObject({ done: true, left: { count: 0 }, progress: { rewritten: 7, failed: 0 } });
  for (const row of await stored()) {
    expect(row['email']).toMatch(/^eaasA/);
    expect(row['email_index']).toMatch(/^[\da-f]{64}$/);
    if (row['name'] !== null) expect(row['name']).toMatch(/^eaasA/);
  }
  const expected = ['ADA', ...names.slice(1)];
  expect((await opened()).map(({ name }) => name)).toEqual(expected);
  await rotate();
  const rotated = await migrate(plain, 'rewrap');
  expect(rotated).toMatchObject({ done: true, left: { count: 0 }, progress: { rewritten: 7 } });
  expect((await opened()).map(({ name }) => name)).toEqual(expected);
}
