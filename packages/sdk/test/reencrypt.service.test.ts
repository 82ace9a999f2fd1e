import { parseEnvelope } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { EaasClient } from '@eaas/sdk';
import { checkConstraints, date, defineFields, json, text } from '@eaas/sdk/fields';
import { inventory, isEncrypted, type ReencryptProgress, reencrypt, storedValues } from '@eaas/sdk/reencrypt';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openServiceAndTable, type ServiceAndTable } from './service-and-table.ts';
import { endOf } from './simulated-table.ts';

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

async function keepWriting(newest: Map<string, string>, stop: { stopped: boolean }): Promise<void> {
  for (let turn = 0; !stop.stopped; turn++) {
    const id = String(1 + ((turn * 7) % 60));
    const email = `${id} of turn ${turn}`;
    const { ciphertext } = await client.encrypt(email);
    await sql`update users set email = ${ciphertext} where id = ${id}`;
    newest.set(id, email);
  }
}

test('a table of plaintext is encrypted while the app writes, with one interruption', async () => {
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
  const resume = JSON.parse(kept) as ReencryptProgress<string>;
  const last = await endOf(reencrypt(new EaasClient({ ...options, keyId }), users, { ...plan, resume }));
  stop.stopped = true;
  await writing;

  expect(last).toMatchObject({ total: 60, seen: 60, failed: 0, conflicted: 0, done: true });
  const found = await inventory(storedValues(users), { client });
  expect(found).toMatchObject({ values: 120, empty: 40, plaintexts: 0, broken: 0 });
  expect(found.keys).toMatchObject([{ key_id: keyId, versions: [{ key_version: 1, values: 80 }] }]);
  for (const { id, email } of await sql`select id, email from users`)
    expect(await client.decrypt(String(email), { as: 'text' })).toBe(newest.get(String(id)));
  for (const { photo: stored } of await sql`select photo from users where photo is not null`)
    expect(Buffer.from(await client.decrypt(stored as Uint8Array))).toEqual(photo);
});

test('after a rotation, `reencrypt` with `writeMany` leaves no value under the old key version', async () => {
  const rows = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      // Uses ten scopes, so that the client encrypts the fifty values under ten data keys.
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
    expect(await elsewhere.decrypt(String(values.email), { as: 'text' })).toBe(
      `${Number(id) - 1}@example.com`,
    );
});

test('server mode decrypts re-encrypted bundles whose parts are stored in separate columns', async () => {
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
      return rows.map(({ user_id, slot, ciphertext }) => ({
        id: [user_id, slot],
        values: { card: ciphertext },
      }));
    },
    write: async ({ id, row, values }: { id: Card['id']; row: Card; values: Card['values'] }) => {
      const { wrappedKey, iv, keyVersion } = parseEnvelope(fromBase64(values.card));
      const { count } = await sql`
        update cards set ciphertext = ${values.card}, wrapped_key = ${toBase64(wrappedKey)}, iv = ${toBase64(iv)},
          key_version = ${keyVersion}
        where user_id = ${id[0]} and slot = ${id[1]} and ciphertext = ${row.values.card}`;
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

test('a run encrypts typed values while the app writes both columns', async () => {
  const fields = defineFields({
    patients: { email: text().searchable(), born: date(), notes: json<{ turn: number }>() },
  });
  const records = fields.for(client, { index: 'service' });
  await sql`drop table if exists patients`;
  await sql`create table patients (id bigint primary key, email text, born date, notes jsonb)`;
  await sql`
    insert into patients
    select id, id || '@example.com', case when id % 4 > 0 then date '1815-12-10' + id::int end, '{"turn": 0}'
    from generate_series(1, 60) id`;
  await sql`
    alter table patients add column email_new text, add column email_index text,
      add column born_new text, add column notes_new text`;

  interface Old {
    readonly email: string | null;
    readonly born: string | null;
    readonly notes: string | null;
  }
  const newColumns = async (id: string, { email, born, notes }: Old) => {
    const row = await records.encryptRow('patients', id, {
      email,
      born: born === null ? null : new Date(born),
      notes: notes === null ? null : (JSON.parse(notes) as { turn: number }),
    });
    return {
      email_new: row.email as string | null,
      email_index: row.email_index as string | null,
      born_new: row.born as string | null,
      notes_new: row.notes as string | null,
    };
  };
  interface Patient {
    readonly id: string;
    readonly old: Old;
    readonly values: Awaited<ReturnType<typeof newColumns>>;
  }
  const patients = {
    read: async ({
      after = '0',
      limit,
    }: {
      after: string | undefined;
      limit: number;
    }): Promise<Patient[]> => {
      const rows = await sql<({ id: string } & Old & Patient['values'])[]>`
        select id, email, born::text, notes::text, email_new, email_index, born_new, notes_new
        from patients where id > ${after} order by id limit ${limit}`;
      return rows.map(({ id, email, born, notes, ...values }) => ({
        id,
        old: { email, born, notes },
        values,
      }));
    },
    write: async ({ id, row: { old }, values }: { id: string; row: Patient; values: Patient['values'] }) => {
      const { count } = await sql`
        update patients set ${sql(values)}
        where id = ${id} and email is not distinct from ${old.email}
          and born::text is not distinct from ${old.born} and notes::text is not distinct from ${old.notes}`;
      return count === 1;
    },
  };

  const stop = { stopped: false };
  const writeBoth = async (): Promise<void> => {
    for (let turn = 1; !stop.stopped; turn++) {
      const id = String(1 + ((turn * 7) % 60));
      const old = {
        email: turn % 5 ? `${turn}@example.com` : null,
        born: turn % 3 ? '1906-12-09' : null,
        notes: JSON.stringify({ turn }),
      };
      await sql`
        update patients set ${sql(await newColumns(id, old))}, email = ${old.email},
          born = ${old.born}::date, notes = ${old.notes}::text::jsonb
        where id = ${id}`;
    }
  };
  const writing = writeBoth();
  const last = await endOf(
    reencrypt(client, patients, {
      mode: 'custom',
      pageSize: 10,
      async convert({ id, old, values }) {
        const pairs = [
          [old.email, values.email_new],
          [old.born, values.born_new],
          [old.notes, values.notes_new],
        ];
        const isComplete = pairs.every(([before, after]) => before === null || isEncrypted(after));
        return isComplete ? undefined : newColumns(id, old);
      },
    }),
  );
  stop.stopped = true;
  await writing;

  expect(last).toMatchObject({ seen: 60, failed: 0, conflicted: 0, done: true });
  const found = await inventory(storedValues(patients, { except: ['email_index'] }));
  expect(found).toMatchObject({ values: 180, plaintexts: 0, broken: 0 });
  const rows = await patients.read({ after: undefined, limit: 60 });
  const decrypted = await records.decryptRows(
    'patients',
    rows.map(({ id, values }) => ({
      id,
      email: values.email_new,
      born: values.born_new,
      notes: values.notes_new,
    })),
    ({ id }) => id,
  );
  expect(
    decrypted.map(({ email, born, notes }) => [email, born && born.toISOString().slice(0, 10), notes]),
  ).toEqual(rows.map(({ old }) => [old.email, old.born, old.notes === null ? null : JSON.parse(old.notes)]));
  const columns = { email: 'email_new', born: 'born_new', notes: 'notes_new' };
  await sql.unsafe(checkConstraints(fields, 'patients', { columns }));
});
