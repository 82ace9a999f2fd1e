import { setTimeout as sleep } from 'node:timers/promises';
import { type Envelope, parseEnvelope } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/base64';
import { EaasClient } from '@eaas/sdk';
import { createIntake } from '@eaas/sdk/intake';
import { inventory, reencrypt, type ReencryptProgress, storedValues } from '@eaas/sdk/reencrypt';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { connectTo, operate, readLog, startReplica } from '@eaas/test-kit/faults/place';

interface Message {
  readonly id: number;
  readonly values: { readonly body: string };
}

const count = 24;
const plaintextOf = (id: number): string => `message ${id}`;
const context = { form: 'contact' };

let keyId: string;
let before: Map<number, Envelope>;

const database = await closing(OwnPostgres.start(), (it) => it.drop());
const operator = await closing(operate(database.url), (it) => it.close());
const tenant = await operator.newTenant();
let server = await startReplica(operator.env);
afterAll(() => server.kill());
const sql = await closing(connectTo(database), (it) => it.end());
await sql`create table messages (id int primary key, body text not null)`;

function newClient(sent: typeof fetch = fetch): EaasClient {
  return new EaasClient({ baseUrl: server.baseUrl, apiKey: tenant.token, fetch: sent, retries: 10 });
}

beforeEach(async () => {
  await using client = newClient();
  ({ key_id: keyId } = await client.keys.create({ name: `forms ${crypto.randomUUID()}`, intake: true }));
  const { intakePublicKey } = await client.publicKey(keyId);
  const intake = createIntake({ publicKey: intakePublicKey ?? '' });
  const ids = Array.from({ length: count }, (_, at) => at + 1);
  const rows = await Promise.all(
    ids.map(async (id) => ({ id, body: (await intake.encrypt(plaintextOf(id), { context })).ciphertext })),
  );
  before = new Map(rows.map(({ id, body }) => [id, parseEnvelope(fromBase64(body))]));
  await sql`truncate messages`;
  await sql`insert into messages ${sql(rows)}`;
});

const store = {
  read: async ({ after = 0, limit }: { after: number | undefined; limit: number }): Promise<Message[]> => {
    const rows = await sql<{ id: number; body: string }[]>`
      select id, body from messages where id > ${after} order by id limit ${limit}`;
    return rows.map(({ id, body }) => ({ id, values: { body } }));
  },
  write: async ({ id, expected, values }: Message & { readonly expected: Message['values'] }) => {
    const written = await sql`
      update messages set body = ${values.body} where id = ${id} and body = ${expected.body}`;
    return written.count === 1;
  },
};

async function restartServer(): Promise<void> {
  await server.kill();
  server = await startReplica({ ...operator.env, EAAS_PORT: String(server.port) });
}

async function restartDatabase(): Promise<void> {
  await database.crash();
  await database.start();
}

async function runToTheEnd(client: EaasClient, on: typeof store): Promise<ReencryptProgress<number>> {
  let resume: ReencryptProgress<number> | undefined;
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      for await (const progress of reencrypt(client, on, {
        mode: 'rewrap',
        pageSize: 4,
        concurrency: 2,
        resume,
      })) {
        if (progress.done) return progress;
        resume = progress.finished ? undefined : progress;
      }
    } catch (error) {
      if (attempt === 49) throw error;
      await sleep(100);
    }
  }
  throw new Error('the job did not end within 50 attempts');
}

async function rewrappedRows(): Promise<number> {
  // A new client has no data key in memory, so it must unwrap every data key.
  await using client = newClient();
  const rows = await sql<{ id: number; body: string }[]>`select id, body from messages order by id`;
  expect(rows.map(({ id }) => id)).toEqual([...before.keys()]);
  const stored = rows.map(({ id, body }) => ({
    written: before.get(id),
    now: parseEnvelope(fromBase64(body)),
  }));
  const bodyOf = (envelope?: Envelope) => [envelope?.iv, envelope?.commitment, envelope?.body];
  for (const { written, now } of stored) expect(bodyOf(now)).toEqual(bodyOf(written));
  const isRewrapped = ({ now }: { readonly now: Envelope }): boolean => now.wrappedKey.length === 78;
  const others = stored.filter((each) => !isRewrapped(each));
  expect(others.map(({ now }) => now.wrappedKey)).toEqual(others.map(({ written }) => written?.wrappedKey));
  const opened = await client.decryptMany(
    rows.map(({ body }) => body),
    { keyId, context, as: 'text' },
  );
  expect(opened).toEqual(rows.map(({ id }) => ({ ok: true, value: plaintextOf(id) })));
  return stored.filter(isRewrapped).length;
}

async function expectAllRewrapped(): Promise<void> {
  expect(await rewrappedRows()).toBe(count);
  const { keys } = await inventory(storedValues(store), { keyIds: [keyId] });
  expect(keys.map(({ versions }) => versions)).toMatchObject([[{ values: count, intake: 0 }]]);
}

describe('while a job rewraps values of writers', () => {
  test('a kill of the server loses no value, and each response has its audit entry', async () => {
    let returned = 0;
    let kills = 0;
    const sent: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const isRewrap = request.url.endsWith('/rewrap');
      const isFatal = isRewrap && returned > 0 && kills++ === 0;
      const [responded, restarted] = await Promise.allSettled([fetch(request), isFatal && restartServer()]);
      expect(restarted.status).toBe('fulfilled');
      if (responded.status === 'rejected') throw responded.reason;
      const response = responded.value;
      if (!isRewrap || !response.ok) return response;
      const output = (await response.clone().json()) as { results?: readonly object[] };
      returned += output.results?.filter((result) => 'wrapped_key' in result).length ?? 1;
      return response;
    };
    await using client = newClient(sent);
    await runToTheEnd(client, store);
    expect(kills).toBeGreaterThan(0);
    await expectAllRewrapped();
    const log = await readLog(server, tenant);
    const rewraps = log.filter(({ key_id, action }) => key_id === keyId && action === 'key.wrap');
    expect(rewraps.every(({ metadata }) => (metadata as { intake?: boolean }).intake)).toBe(true);
    expect(returned).toBeGreaterThanOrEqual(count);
    expect(rewraps.length).toBeGreaterThanOrEqual(returned);
  });

  test('crashes of the database leave each row with its old or its new value', async () => {
    let writes = 0;
    const found: number[] = [];
    const crashing = {
      ...store,
      async write(change: Parameters<typeof store.write>[0]): Promise<boolean> {
        writes++;
        if (writes !== 6 && writes !== 15) return store.write(change);
        const [written] = await Promise.allSettled([store.write(change), restartDatabase()]);
        found.push(await rewrappedRows());
        if (written.status === 'rejected') throw written.reason;
        return written.value;
      },
    };
    await using client = newClient();
    await runToTheEnd(client, crashing);
    expect(found).toHaveLength(2);
    for (const rewrapped of found) {
      expect(rewrapped).toBeGreaterThan(0);
      expect(rewrapped).toBeLessThan(count);
    }
    await expectAllRewrapped();
  });
});
