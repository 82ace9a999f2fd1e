// Halves from the key services of customers: what is asked of them, and whose values a "no" stops.
import { createHmac } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { defineFields, field } from '../../src/fields/fields.ts';
import type { ClientOptions } from '../../src/index.ts';
import { observedClient, outcomesOf, range } from '../observed-client.ts';

type Question = Parameters<Extract<ClientOptions['half'], (...of: never[]) => unknown>>[0];

afterEach(() => void vi.useRealTimers());
const own = new Uint8Array(32).fill(1);

/** The key service of each tenant, the first letter of a subject: a MAC under its master, or what `says` has. */
function keyServices() {
  const says: Record<string, () => unknown> = {};
  const half = vi.fn(async ({ keyId, subject = '' }: Question) => {
    const [tenant = ''] = subject;
    const mac = createHmac('sha256', tenant).update(`${keyId} ${subject}`).digest();
    return (await (says[tenant] ?? (() => mac))()) as Uint8Array;
  });
  return { says, half };
}

test.each<[string, object, () => unknown]>([
  ['refuses', { code: 'half', cause: new Error('no') }, () => Promise.reject(new Error('no'))],
  ['hangs', { code: 'half' }, () => new Promise(() => undefined)],
  ['answers undefined', { code: 'input' }, () => undefined],
])('a key service that %s stops only its tenant, and is asked again', async (_, of, say) => {
  const { make, service } = await observedClient();
  const { half, says } = keyServices();
  const seal = async (subject: string) => ({
    ...(await make({ half }).encrypt('x', { subject, as: 'bundle' })),
    subject,
  });
  const items = [await seal('a1'), await seal('b1')];
  const reader = make({ half });
  const decrypt = () => reader.decryptMany(items, { as: 'text' });
  await reader.decryptMany(items.slice(0, 1));
  const before = service.requests.length;
  says['b'] = say;
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  /** Lets time pass until a call is over. What it needs for the tenant a is in memory. */
  const over = async <T>(call: Promise<T>): Promise<T> => {
    const end = vi.fn();
    call.then(end, end);
    while (end.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(30_000);
    return call;
  };
  const error = { ...of, message: expect.stringContaining('function `half`') as string };
  expect(await over(decrypt())).toMatchObject([{ value: 'x' }, { error }]);
  await expect(over(reader.encrypt('y', { subject: 'b1' }))).rejects.toMatchObject(error);
  expect(service.requests).toHaveLength(before);
  delete says['b'];
  expect(outcomesOf(await decrypt())).toEqual(['x', 'x']);
});

test('1,000 concurrent reads under many data keys ask once for each key and subject, in any case', async () => {
  const { make, keyId } = await observedClient();
  const { half } = keyServices();
  const writer = make({ half, cache: { encrypt: { maxMessages: 50 } } });
  const people = [crypto.randomUUID(), crypto.randomUUID()];
  const subjects = range(1_000).map((n) => people[n % 2] ?? '');
  const upper = keyId.toUpperCase();
  const seal = (who: string) => writer.encrypt(who, { subject: who.toUpperCase(), keyId: upper });
  const sealed = await Promise.all(subjects.map(seal));
  const reader = make({ half });
  const reads = subjects.map((subject, n) => reader.decrypt(sealed[n] ?? '', { subject, as: 'text' }));
  expect(await Promise.all(reads)).toEqual(subjects);
  expect(half).toHaveBeenCalledTimes(4);
});

test('the signal of a call ends its wait, before any request, and not that of another call', async () => {
  const { make, service } = await observedClient();
  const ciphertext = await make({ half: own }).encrypt('x');
  let answer: (half: Uint8Array) => void = () => undefined;
  const answered = new Promise<Uint8Array>((resolve) => {
    answer = resolve;
  });
  const client = make({ half: () => answered });
  const stop = new AbortController();
  const stopped = [client.decrypt(ciphertext, stop), client.encrypt('y', stop)];
  const other = client.decrypt(ciphertext, { as: 'text' });
  stop.abort();
  for (const call of stopped) await expect(call).rejects.toMatchObject({ code: 'aborted' });
  expect(service.requests).toHaveLength(1);
  answer(own);
  expect(await other).toBe('x');
});

test('a "no" acts after at most `maxAge`, also on what came later, on renewals and on searches', async () => {
  const { make, events } = await observedClient();
  const [first, later] = await Promise.all(['x', 'y'].map((value) => make({ half: own }).encrypt(value)));
  const maxAge = 60_000;
  const half = vi.fn(async () => own);
  const client = make({ half, cache: { encrypt: { maxAge }, decrypt: { maxAge } } });
  const users = defineFields({ users: { ssn: field.text().searchable() } }).for(client, { index: 'half' });
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  await client.prime({ keep: true, ciphertexts: [first ?? ''], encrypt: true });
  await users.where('users', { ssn: '1' });
  half.mockRejectedValue(new Error('no'));
  const calls = [
    () => client.decrypt(first ?? ''),
    () => client.decrypt(later ?? ''),
    () => client.encrypt('x'),
    () => users.where('users', { ssn: '1' }),
  ];
  await vi.advanceTimersByTimeAsync(0.7 * maxAge);
  await Promise.allSettled(calls.map((call) => call()));
  await vi.advanceTimersByTimeAsync(0.3 * maxAge + 1);
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'half' });
  expect(() => client.encryptSync('x')).toThrow(expect.objectContaining({ code: 'not_primed' }));
  const failed = events.filter(({ type }) => type === 'data_key.refresh_failed');
  expect(failed).toContainEqual(expect.objectContaining({ code: 'half' }));
  await client.close();
});

test('an answer that is nearly too old makes no data key, which would have to be replaced at once', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const half = vi.fn(async () => own);
  const limits = { maxAge: 60_000 };
  const client = (await observedClient()).make({ half, cache: { encrypt: limits, decrypt: limits } });
  for (const [seconds, asked] of Object.entries({ 0: 1, 47: 1, 49: 2 })) {
    vi.setSystemTime(Number(seconds) * 1_000);
    await client.encrypt('x', { fresh: true });
    expect(half).toHaveBeenCalledTimes(asked);
  }
  await client.close();
});

test('a search asks for the half of the key of its table', async () => {
  const { make, keyId, service } = await observedClient();
  const { key_id: other } = await service.createKey('other');
  const half = vi.fn(async () => own);
  const users = defineFields({ users: { ssn: field.text().searchable() } });
  const records = users.for(make({ half, keyId: other }), { index: 'half', keyIds: { users: keyId } });
  await records.where('users', { ssn: '1' });
  expect(JSON.stringify(half.mock.calls)).toContain(keyId);
});
