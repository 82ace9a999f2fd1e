import { wipedBy } from '@eaas/test-kit/wiped-by';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  arrivals,
  observedClient,
  outcomesOf,
  range,
  routesOf,
  spiedClient,
  valuesOf,
} from '../../test/observed-client.ts';
import type { EaasClientOptions } from '../index.ts';

const whole = { as: 'bundle' } as const;

const second = 1_000;
const minute = 60 * second;

afterEach(() => void vi.useRealTimers());

test('each copy of a DEK is wiped, also one that is not wrapped, or is to become another with a half', async () => {
  const { service, sent, make } = await spiedClient();
  const half = new Uint8Array(32).fill(7);
  const counts = async (work: () => Promise<unknown>) => {
    const wiped = await wipedBy(work);
    const { body } = sent.findLast(({ path }) => path === 'wrap') ?? {};
    return wiped.filter((bytes) => bytes.toString('base64') === body?.['dek']).length;
  };
  let sealed = '';
  const encrypt = async (more = {}) => {
    sealed = await make(more).encrypt('x');
  };
  const table: [() => Promise<unknown>, number][] = [
    [() => (service.failNext('key_state'), encrypt().catch(() => {})), 1],
    [encrypt, 4],
    // A change of the tenant makes the service read its rows anew, and judge the wrap twice.
    [() => service.setTenant({ monthlyEncryptQuota: 1 }).then(() => encrypt()), 6],
    [() => make().decrypt(sealed), 3],
    [() => encrypt({ half }), 3],
    [() => make({ half }).decrypt(sealed), 3],
  ];
  for (const [work, count] of table) expect(await counts(work)).toBe(count);
});

describe('data keys for encryption', () => {
  test('concurrent calls share one request for a data key', async () => {
    const { service, client } = await observedClient();
    const bundles = await Promise.all(range(1_000).map((n) => client.encrypt(`value ${n}`, whole)));
    expect(routesOf(service)).toEqual(['keys/:key_id/wrap']);
    expect(new Set(bundles.map((bundle) => bundle.wrapped_key)).size).toBe(1);
    expect(new Set(bundles.map((bundle) => bundle.iv)).size).toBe(1_000);
  });

  test('encryptMany uses a new data key after `maxMessages` values, and fetches data keys in batches', async () => {
    const { client, service } = await observedClient({ cache: { encrypt: { maxMessages: 3 } } });
    const uses = new Map<string, number>();
    for (const { wrapped_key } of valuesOf(await client.encryptMany(range(3_001).map(String), whole))) {
      uses.set(wrapped_key, (uses.get(wrapped_key) ?? 0) + 1);
    }
    expect(Math.max(...uses.values())).toBe(3);
    expect(uses.size).toBe(1_001);
    expect(routesOf(service)).toEqual(['batch/wrap', 'keys/:key_id/wrap']);
    for (let n = 0; n < 2; n++) expect(uses.has((await client.encrypt('x', whole)).wrapped_key)).toBe(true);
    expect(uses.has((await client.encrypt('x', whole)).wrapped_key)).toBe(false);
  });

  test.each([{}, { context: { row: '1' } }])(
    'encryptMany spends one message for each value, with %j',
    async (options) => {
      const more = { ...options, as: 'bundle' } as const;
      const { client } = await observedClient({ cache: { encrypt: { maxMessages: 20 } } });
      const first = await client.encrypt('x', more);
      const others = valuesOf(await client.encryptMany(range(19).map(String), more));
      expect(new Set(others.map((bundle) => bundle.wrapped_key))).toEqual(new Set([first.wrapped_key]));
      expect((await client.encrypt('y', more)).wrapped_key).not.toBe(first.wrapped_key);
    },
  );

  test('after a request of encryptMany has failed, it sends no more, but what others wait for is sent', async () => {
    const sent: number[] = [];
    const fetch: typeof globalThis.fetch = async (request) => {
      const { items } = await (request as Request).json();
      sent.push(items.length);
      if (items[0].subject === '0') return new Response(null, { status: 503 });
      const results = items.map(({ reference }: { reference: string }) => {
        return { key_id: keyId, key_version: 1, wrapped_key: 'AQID', reference };
      });
      return Response.json({ results });
    };
    const { client, keyId } = await observedClient({ retries: 0, fetch });
    const people = range(6_000).map((person) => ({ value: 'x', subject: `${person}` }));
    const many = client.encryptMany(people);
    const shared = client.encrypt('y', { subject: '5999' });
    const primed = client.prime({ subject: '5998' });
    const other = client.encryptMany([...people.slice(5_996, 5_998), { value: 'z', subject: 'other' }]);
    const outcomes = outcomesOf(await many);
    const failed = range(6_000).filter((person) => outcomes[person] === 'unavailable');
    expect(failed).toEqual(range(5_996).filter((person) => person < 1_000 || person >= 4_000));
    await Promise.all([shared, primed]);
    expect(valuesOf(await other)).toHaveLength(3);
    expect(sent).toEqual([1_000, 1_000, 1_000, 1_000, 5]);
  });

  test('a data key encrypts at most `maxBytes`, unless one value is larger', async () => {
    const { client } = await observedClient({ cache: { encrypt: { maxBytes: 100 } } });
    const lengths = [60, 60, 500, 10, 10];
    const keys: string[] = [];
    for (const length of lengths) {
      keys.push((await client.encrypt(new Uint8Array(length), whole)).wrapped_key);
    }
    expect(new Set(keys).size).toBe(4);
    expect(keys[3]).toBe(keys[4]);
  });

  test('a refresh that finds the signed-in user erased ends the data key at once', async () => {
    const { client, service } = await observedClient({ cache: { encrypt: { maxMessages: 10 } } });
    const { wrapped_key: first } = await client.encrypt('0', whole);
    service.failNext('subject_erased');
    for (const n of range(8)) expect((await client.encrypt(`${n}`, whole)).wrapped_key).toBe(first);
    await arrivals();
    expect((await client.encrypt('9', whole)).wrapped_key).not.toBe(first);
  });

  test('the client fetches the next data key before `maxAge` ends', async () => {
    vi.useFakeTimers();
    const { events, client } = await observedClient();
    const { wrapped_key: first } = await client.encrypt('a', whole);
    vi.setSystemTime(Date.now() + 4.1 * minute);
    expect((await client.encrypt('b', whole)).wrapped_key).toBe(first);
    await expect.poll(() => events.filter(({ type }) => type === 'data_key.minted')).toHaveLength(2);
    const { wrapped_key: second } = await client.encrypt('c', whole);
    expect(second).not.toBe(first);
    vi.setSystemTime(Date.now() + 5 * minute);
    expect((await client.encrypt('d', whole)).wrapped_key).not.toBe(second);
  });

  test('if the next data key cannot be fetched, the current data key encrypts until it expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { service, client, events } = await observedClient({ retries: 0 });
    const { wrapped_key: first } = await client.encrypt('a', whole);
    service.failNext('unavailable', { times: 10 });
    vi.setSystemTime(Date.now() + 4.5 * minute);
    for (const value of ['b', 'c', 'd']) expect((await client.encrypt(value, whole)).wrapped_key).toBe(first);
    await expect.poll(() => events.at(-1)?.type).toBe('data_key.refresh_failed');
    expect(service.requests).toHaveLength(2);
    vi.setSystemTime(Date.now() + minute);
    await expect(client.encrypt('e')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('each key, scope and wrap context has a separate data key', async () => {
    const { service, client } = await observedClient();
    const { key_id: other } = await service.createKey('other');
    const partitions = [
      {},
      { keyId: other },
      { scope: 'a' },
      { wrapContext: { user: '1' } },
      { scope: 'a', wrapContext: { user: '2' } },
    ];
    const twice = [...partitions, ...partitions];
    const bundles = await Promise.all(
      twice.map((partition) => client.encrypt('x', { ...partition, as: 'bundle' })),
    );
    const keys = bundles.map((bundle) => bundle.wrapped_key);
    expect(new Set(keys).size).toBe(partitions.length);
    expect(keys.slice(partitions.length)).toEqual(keys.slice(0, partitions.length));
    expect(routesOf(service)).toEqual(['batch/wrap']);
  });

  test('with `fresh` or `encrypt: false`, each message has a new data key', async () => {
    const { service, client, make } = await observedClient();
    const fresh = await Promise.all(range(5).map(() => client.encrypt('x', { fresh: true, as: 'bundle' })));
    expect(new Set(fresh.map((bundle) => bundle.wrapped_key)).size).toBe(5);
    expect(routesOf(service)).toEqual(['batch/wrap']);
    const each = valuesOf(await make({ cache: { encrypt: false } }).encryptMany(['x', 'y'], whole));
    expect(new Set(each.map((bundle) => bundle.wrapped_key)).size).toBe(2);
  });
});

const pass = async (milliseconds: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await arrivals(15);
};

async function setUp(options: Partial<EaasClientOptions> = {}) {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  return await observedClient({ retries: 0, ...options });
}

test('with `prime({ keep: true })`, the data key is renewed before it expires, until the client is closed', async () => {
  const { client, service } = await setUp({ cache: { encrypt: { maxMessages: 10 } } });
  await client.prime({ keep: true });
  await client.encryptMany(Array.from({ length: 1_000 }, String));
  await pass(minute);
  const before = service.requests.length;
  const keys = new Set<string>();
  for (let at = 0; at < 20; at++) {
    await pass(minute);
    keys.add(client.encryptSync('x', whole).wrapped_key);
  }
  expect(keys.size).toBe(6);
  expect(service.requests.length - before).toBeLessThanOrEqual(6);
  await client.close();
  const closed = service.requests.length;
  await pass(30 * minute);
  expect(service.requests).toHaveLength(closed);
});

test('if a large value exceeds the rest of the budget, the call that finds no kept data key renews it at once', async () => {
  const { client } = await setUp({ cache: { encrypt: { maxBytes: 1_000 } } });
  await client.prime({ keep: true });
  client.encryptSync('x');
  const value = new Uint8Array(1_000);
  expect(() => client.encryptSync(value)).toThrow('await client.prime');
  await arrivals();
  expect(client.encryptSync(value)).toMatch(/^eaas/);
});

test('after a failed `prime({ keep: true })`, the client sends no further request by itself', async () => {
  const { client, service } = await setUp();
  service.failNext('key_state');
  await expect(client.prime({ keep: true })).rejects.toMatchObject({ code: 'key_state' });
  await pass(10 * minute);
  expect(service.requests).toHaveLength(1);
});

describe('after a jump of the clock', () => {
  const jump = (milliseconds: number): void => void vi.setSystemTime(Date.now() + milliseconds);

  test('a kept data key serves the next synchronous calls, and is renewed at once', async () => {
    const { client, service } = await setUp();
    await client.prime({ keep: true });
    const { wrapped_key: first } = client.encryptSync('x', whole);
    jump(10 * minute);
    expect(client.encryptSync('x', whole).wrapped_key).toBe(first);
    expect(client.encryptSync('x', whole).wrapped_key).toBe(first);
    await arrivals();
    expect(client.encryptSync('x', whole).wrapped_key).not.toBe(first);
    expect(service.requests).toHaveLength(2);
  });
});

test('with `prime({ keep: true })`, the client renews its data key again after a failed service has recovered', async () => {
  const { client, service } = await setUp({ cache: { encrypt: { maxAge: 10 * second } } });
  await client.prime({ keep: true });
  service.failNext('unavailable', { times: 5 });
  for (let at = 0; at < 40; at++) await pass(second / 2);
  expect(client.encryptSync('x')).toMatch(/^eaas/);
});
