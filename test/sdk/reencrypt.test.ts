import { EaasClient } from '@eaas/sdk';
import { fold, inventory, type Progress, reencrypt, storedValues, unfold } from '@eaas/sdk/reencrypt';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openServiceAndTable, type ServiceAndTable } from './service-and-table.ts';
import { endOf } from './simulated-table.ts';

// The real server, and a real table that other connections write to.

let place: ServiceAndTable;
let sql: ServiceAndTable['sql'];
let options: ServiceAndTable['options'];
let client: EaasClient;
let keyId: string;

beforeAll(async () => {
  place = await openServiceAndTable();
  ({ sql, options } = place);
});

afterAll(() => place.close());

beforeEach(async () => {
  ({ client, keyId } = await place.connect());
  await sql`drop table if exists users`;
  await sql`create table users (id bigint primary key, email text, photo bytea)`;
});

interface User {
  readonly id: string;
  readonly values: { readonly email: string | null; readonly photo: Uint8Array | null };
}

const users = {
  read: async ({ after = '0', limit }: { after: string | undefined; limit: number }): Promise<User[]> => {
    const rows = await sql<{ id: string; email: string | null; photo: Uint8Array | null }[]>`
      select id, email, photo from users where id > ${after} order by id limit ${limit}`;
    return rows.map(({ id, ...values }) => ({ id, values }));
  },
  write: async ({
    id,
    expected,
    values,
  }: {
    id: string;
    expected: User['values'];
    values: User['values'];
  }) => {
    const { count } = await sql`
      update users set email = ${values.email}, photo = ${values.photo}
      where id = ${id} and email is not distinct from ${expected.email}
        and photo is not distinct from ${expected.photo}`;
    return count === 1;
  },
  count: async () => Number((await sql`select count(*) from users`)[0]?.['count']),
};

/** As an application does that has its first step behind it: it encrypts what it writes, whatever it found. */
async function keepWriting(newest: Map<string, string>, stop: { stopped: boolean }): Promise<void> {
  for (let turn = 0; !stop.stopped; turn++) {
    const id = String(1 + ((turn * 7) % 60));
    const email = `${id} of turn ${turn}`;
    const { ciphertext } = await client.encrypt(email);
    await sql`update users set email = ${ciphertext} where id = ${id}`;
    newest.set(id, email);
  }
}

test('from plaintext, while the application writes: stopped in the middle, resumed, complete', async () => {
  const newest = new Map(
    Array.from({ length: 60 }, (_, index) => [String(index + 1), `${index + 1}@example.com`]),
  );
  const photo = Buffer.from([0, 255, 7]);
  const rows = Array.from(newest, ([id, email]) => ({
    id,
    email,
    photo: Number(id) % 3 === 0 ? photo : null,
  }));
  await sql`insert into users ${sql(rows)}`;
  const stop = { stopped: false };
  const writing = keepWriting(newest, stop);

  const plan = { mode: 'encrypt', to: {}, verify: true, pageSize: 10 } as const;
  let kept = '';
  for await (const progress of reencrypt(client, users, plan)) {
    kept = JSON.stringify(progress);
    if (progress.seen === 20) break;
  }
  const resume = JSON.parse(kept) as Progress<string>;
  const last = await endOf(reencrypt(new EaasClient({ ...options, keyId }), users, { ...plan, resume }));
  stop.stopped = true;
  await writing;

  expect(last).toMatchObject({ total: 60, seen: 60, failed: 0, conflicted: 0, done: true });
  const found = await inventory(storedValues(users), { client });
  expect(found).toMatchObject({ values: 120, empty: 40, plaintexts: 0, broken: 0 });
  expect(found.keys).toMatchObject([{ key_id: keyId, versions: [{ key_version: 1, values: 80 }] }]);
  for (const { id, email } of await sql`select id, email from users`)
    expect(await client.decryptText(String(email))).toBe(newest.get(String(id)));
  for (const { photo: stored } of await sql`select photo from users where photo is not null`)
    expect(Buffer.from(await client.decrypt(stored as Uint8Array))).toEqual(photo);
});

test('a rotation, a page a statement: nothing is under the old version afterwards', async () => {
  const rows = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      // Ten data keys for fifty values.
      const { ciphertext } = await client.encrypt(`${index}@example.com`, { scope: String(index % 10) });
      return { id: index + 1, email: ciphertext };
    }),
  );
  await sql`insert into users ${sql(rows)}`;
  await client.keys.rotate({ key_id: keyId });

  const store = {
    read: users.read,
    writeMany: async (
      changes: readonly { id: string; expected: User['values']; values: User['values'] }[],
    ) => {
      const written = await sql<{ id: string }[]>`
        update users set email = change.email
        from unnest(
          ${changes.map(({ id }) => id)}::bigint[],
          ${changes.map(({ expected }) => expected.email)}::text[],
          ${changes.map(({ values }) => values.email)}::text[]
        ) as change (id, expected, email)
        where users.id = change.id and users.email = change.expected
        returning users.id`;
      return written.map(({ id }) => id);
    },
  };
  const last = await endOf(reencrypt(client, store, { mode: 'rewrap', verify: true, pageSize: 20 }));
  expect(last).toMatchObject({ rewritten: 50, done: true, keyVersions: { [keyId]: 2 } });
  const { keys: found } = await inventory(storedValues(users), { client });
  expect(found[0]?.versions).toMatchObject([
    { key_version: 1, values: 0 },
    { key_version: 2, values: 50, wrapped_keys: 10 },
  ]);
  const elsewhere = new EaasClient({ ...options, keyId });
  for (const { id, values } of await users.read({ after: undefined, limit: 50 }))
    expect(await elsewhere.decryptText(String(values.email))).toBe(`${Number(id) - 1}@example.com`);
});

test('bundles of server mode in columns of their own: rotated together, they still open there', async () => {
  await sql`drop table if exists cards`;
  await sql`
    create table cards (user_id int, slot int, ciphertext text, wrapped_key text, iv text, key_version int,
      primary key (user_id, slot))`;
  for (const user_id of [1, 2]) {
    for (const slot of [1, 2]) {
      const bundle = await client.serverMode.encrypt({ plaintext: `card ${user_id}.${slot}`, key_id: keyId });
      const { ciphertext, wrapped_key, iv, key_version } = bundle;
      await sql`insert into cards ${sql({ user_id, slot, ciphertext, wrapped_key, iv, key_version })}`;
    }
  }
  await client.keys.rotate({ key_id: keyId });

  interface Card {
    readonly id: readonly [number, number];
    readonly values: { readonly card: string };
    readonly ciphertext: string;
  }
  const cards = {
    read: async ({
      after = [0, 0],
      limit,
    }: {
      after: Card['id'] | undefined;
      limit: number;
    }): Promise<Card[]> => {
      const rows = await sql`
        select * from cards where (user_id, slot) > (${after[0]}, ${after[1]}) order by user_id, slot limit ${limit}`;
      return rows.map((row) => {
        const parts = row as unknown as Parameters<typeof fold>[0];
        return {
          id: [row['user_id'], row['slot']],
          values: { card: fold(parts) },
          ciphertext: parts.ciphertext,
        };
      });
    },
    write: async ({ id, row, values }: { id: Card['id']; row: Card; values: Card['values'] }) => {
      const { key_id: _, ...parts } = unfold(values.card);
      const { count } = await sql`
        update cards set ${sql({ ...parts })}
        where user_id = ${id[0]} and slot = ${id[1]} and ciphertext = ${row.ciphertext}`;
      return count === 1;
    },
  };
  const last = await endOf(reencrypt(client, cards, { mode: 'rewrap', pageSize: 3 }));
  expect(last).toMatchObject({ rewritten: 4, done: true, cursor: [2, 2] });
  for (const row of await sql`select * from cards`) {
    const { user_id, slot, ...parts } = row as unknown as Parameters<typeof client.serverMode.decrypt>[0] &
      Record<'user_id' | 'slot', number>;
    expect(parts.key_version).toBe(2);
    const opened = await client.serverMode.decrypt({ ...parts, key_id: keyId });
    expect(opened.plaintext).toBe(`card ${user_id}.${slot}`);
  }
});
