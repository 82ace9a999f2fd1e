// Keys in a variable that a key service locks, and `open` of localService.
import { createHook } from 'node:async_hooks';
import { some } from '@eaas/test-kit/cases';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { toBase64 } from '@eaas/protocol/base64';
import { EaasClient } from '@eaas/sdk';
import { expect, test, vi } from 'vitest';
import { ask } from '../test/ask.ts';
import { localService, type LocalServiceOptions } from './index.ts';
import { keyOfService, type Opener } from './opener.ts';
import { formatSealed, newSealed, openSealed } from './sealed.ts';

const loaded = vi.hoisted(() => ({ times: 0 }));
vi.mock('./opening.ts', async (load) => (loaded.times++, load()));

function never(): never {
  throw new Error('this must not happen');
}

const context = { row: '1' };
const unlocked = formatSealed(newSealed(Date.now()));
const keys = new Map<string, Uint8Array>();

/** Keys that a key service of this process locks. Each has a name of its own there. */
function lockedKeys() {
  const lock = { kind: 'kms', sealed: toBase64(new TextEncoder().encode(`kms ${keys.size}`)) } as const;
  keys.set(lock.sealed, crypto.getRandomValues(new Uint8Array(32)));
  const keyFor: Opener['keyFor'] = (_, id) =>
    keyOfService(keys.get(lock.sealed)?.slice() ?? new Uint8Array(), id);
  const sealed = formatSealed(newSealed(Date.now(), { kind: 'kms', newLock: () => lock, keyFor }));
  return { sealed, open: vi.fn(async (asked: Uint8Array) => keys.get(toBase64(asked))) };
}

const encrypt = (options: LocalServiceOptions) =>
  new EaasClient({ service: localService(options) }).encrypt('token', { context });

async function errorOf(work: () => unknown): Promise<Error> {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
  return never();
}

/** The number of promises that a call makes, once the first ones are over, which also remember things. */
async function promisesOf(service: ReturnType<typeof localService>): Promise<number> {
  let made = 0;
  for (let times = 0; times < 5; times++) await service.call('GET /v1/keys', {});
  const hook = createHook({ init: (_, type) => void (made += Number(type === 'PROMISE')) }).enable();
  await service.call('GET /v1/keys', {});
  hook.disable();
  return made;
}

test('without `open` nothing more is loaded, and with it a call waits for nothing more once the keys are open', async () => {
  const promises = await promisesOf(localService({ sealed: unlocked }));
  expect(loaded.times).toBe(0);
  expect(await promisesOf(localService(lockedKeys()))).toBe(promises);
  expect(loaded.times).toBe(1);
});

const { text, tenant, key, ...given } = vectors('local-lock').cases[0] ?? never();
const opening = () => bytes(given.opened);

test('the vector: the key of the lock, the secret, and the same text written again', async () => {
  const opened = opening();
  expect(toBase64(keyOfService(opened, tenant))).toBe(given.lock_key);
  expect(opened.some(Boolean)).toBe(false);
  const keyFor = () => keyOfService(opening(), tenant);
  const file = openSealed(text, { kind: 'kms', newLock: () => ({ kind: 'none' }), keyFor });
  expect([toBase64(file.secret), formatSealed(file)]).toEqual([given.secret, text]);
  const open = vi.fn(opening);
  const { tenantId, keyId } = localService({ sealed: text, open });
  expect([tenantId, keyId, (await encrypt({ sealed: text, open })).key_id]).toEqual([tenant, key, key]);
  expect(open.mock.calls).toMatchObject([[bytes(given.sealed), { signal: { aborted: false } }]]);
});

test('the vector, altered in any character, is refused before a value is encrypted, and quoted nowhere', async () => {
  for (const at of some(
    132,
    Array.from({ length: text.length - 11 }, (_, index) => index + 11),
  )) {
    const sealed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
    const { name, message } = await errorOf(() => encrypt({ sealed, open: opening }));
    expect([at, name]).toEqual([at, 'InputError']);
    expect(message).not.toMatch(/[A-Za-z\d+/=]{26}|[\da-f]{8}-/);
  }
});

test('before the first call, nobody is asked, and nothing is drawn or timed; then one question serves all', async () => {
  const locked = lockedKeys();
  const drawing = [vi.spyOn(crypto, 'getRandomValues'), vi.spyOn(crypto, 'randomUUID')];
  const spies = [...drawing, vi.spyOn(globalThis, 'setTimeout')];
  const client = new EaasClient({ service: localService(locked) });
  await new Promise(setImmediate);
  expect([locked.open, ...spies].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0, 0]);
  spies.forEach((spy) => spy.mockRestore());
  const values = Array.from({ length: 1_000 }, () => client.encrypt('x', { context, fresh: true }));
  expect(await Promise.all(values)).toHaveLength(1_000);
  expect(locked.open).toHaveBeenCalledTimes(1);
});

type Members = Record<'lock' | 'tenant_secret' | 'keys', unknown>;
const membersOf = (sealed: string) =>
  JSON.parse(Buffer.from(sealed.slice(11), 'base64').toString()) as Members;
const lock = (sealed: Uint8Array | string) => ({
  lock: { kind: 'kms', sealed: Buffer.from(sealed).toString('base64') },
});

test.each<[string, (own: Members, other: Members) => object, RegExp]>([
  ['is open', () => membersOf(unlocked), /has no lock of a key service, and somebody might have replaced it/],
  ['has the lock of another', (_, other) => ({ lock: other.lock }), /does not open: only the key service/],
  ['has sealed bytes that are unknown', () => lock('x'), /of 32 bytes \(got undefined\)/],
  [
    'has lock and secret of another',
    (_, { lock, tenant_secret }) => ({ lock, tenant_secret }),
    /does not open/,
  ],
  ['has the keys of another', (_, other) => ({ keys: other.keys }), /cut, damaged or edited/],
  [
    'has another key id',
    ({ keys }) => ({ keys: [keys].flat().map((each) => Object.assign(each as object, { key_id: tenant })) }),
    /damaged or edited/,
  ],
  ['has an id that is none', () => ({ tenant_id: '../../etc' }), /damaged or edited/],
  ['has no keys', () => ({ keys: [] }), /a key named `default`/],
  ['has a key in place of a list', ({ keys }) => ({ keys: [keys].flat()[0] }), /damaged or edited/],
  ['has no sealed bytes', () => ({ lock: { kind: 'kms' } }), /no `lock.sealed`/],
  ['has too few sealed bytes', () => lock(''), /has no lock of a key service/],
  ['has too many sealed bytes', () => lock(new Uint8Array(2_049)), /has no lock of a key service/],
])('under a text that %s, no value is encrypted', async (_, change, reason) => {
  const [own, other] = [lockedKeys(), lockedKeys()];
  const members = { ...membersOf(own.sealed), ...change(membersOf(own.sealed), membersOf(other.sealed)) };
  const sealed = `eaas_local_${Buffer.from(JSON.stringify(members)).toString('base64')}`;
  const { name, message } = await errorOf(() => encrypt({ sealed, open: own.open }));
  expect([name, message]).toEqual(['InputError', expect.stringMatching(reason)]);
});

test.each<[LocalServiceOptions, RegExp]>([
  [{ sealed: text }, /is locked: only the key service that sealed it opens it, by `open`/],
  [{ sealed: unlocked, open: undefined }, /`open` of `localService` must be a function \(got undefined\)/],
  [{ open: opening }, /`open` needs `sealed`/],
  [{ file: '.eaas/local.json', open: opening }, /`open` needs `sealed`/],
])('options %# are refused at once', (options, reason) => {
  expect(() => localService(options)).toThrow(reason);
});

test('`ready` opens the keys at the start; `apiKey` is there afterwards, and in no copy', async () => {
  const locked = lockedKeys();
  const service = localService(locked);
  expect(() => service.apiKey).toThrow('the keys are not open yet: await `ready()`');
  expect(Object.keys({ ...service })).toEqual(['baseUrl', 'keyId', 'fetch']);
  await service.ready();
  await service.ready();
  expect(locked.open).toHaveBeenCalledTimes(1);
  expect(await ask(service, `GET /v1/keys/${service.keyId}`)).toMatchObject({ name: 'default' });
  expect(await Promise.all([localService().ready(), localService({ sealed: unlocked }).ready()])).toEqual([
    undefined,
    undefined,
  ]);
});

test('a key service that refuses makes every kind of call `unavailable`', async () => {
  const cause = Object.assign(new Error('no right to arn:aws:kms'), { name: 'AccessDeniedException' });
  const open = vi.fn(() => Promise.reject(cause));
  const service = localService({ sealed: text, open });
  const client = new EaasClient({ service });
  const call = () => service.call('GET /v1/keys', {});
  for (const work of [
    () => client.encrypt('x'),
    call,
    () => service.createKey('default'),
    () => service.ready(),
  ])
    expect(await errorOf(work)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('(AccessDenied') as string,
      cause,
    });
  const response = await service.fetch(`${service.baseUrl}/v1/keys`);
  expect(await response.json()).toMatchObject({ status: 503, code: 'unavailable' });
  expect(open).toHaveBeenCalledTimes(1);
});

test('the signal of a caller ends its waiting, and not the question of all', async () => {
  const { sealed, open } = lockedKeys();
  const slow = vi.fn((asked: Uint8Array) =>
    new Promise((resolve) => setTimeout(resolve, 50)).then(() => open(asked)),
  );
  const client = new EaasClient({ service: localService({ sealed, open: slow }) });
  const ended = client.encrypt('x', { context, signal: AbortSignal.timeout(1) });
  const waiting = client.encrypt('y', { context, fresh: true });
  await expect(ended).rejects.toMatchObject({ code: 'aborted' });
  expect([(await waiting).key_version, slow.mock.calls.length]).toEqual([1, 1]);
});
