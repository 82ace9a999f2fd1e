// Keys in a variable that a key service locks, and `open` of createLocalService.
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { some } from '@eaas/test-kit/cases';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { toBase64 } from '@eaas/protocol/internal-base64';
import { EaasClient } from '@eaas/sdk';
import { expect, test, vi } from 'vitest';
import { ask } from '../test/ask.ts';
import { type LocalService, createLocalService, type LocalServiceOptions } from './index.ts';
import { keyOfService, type Opener } from './opener.ts';
import { formatSealed, newSealed, openSealed } from './sealed.ts';

const context = { row: '1' };
const unlocked = formatSealed(newSealed(Date.now()));
const keys = new Map<string, Uint8Array>();

/** Keys that a key service of this process locks. Each has a name of its own there. */
function lockedKeys() {
  const lock = { kind: 'kms', sealed: btoa(`kms ${keys.size}`) } as const;
  keys.set(lock.sealed, crypto.getRandomValues(new Uint8Array(32)));
  const keyFor: Opener['keyFor'] = (_, id) => keyOfService(new Uint8Array(keys.get(lock.sealed) ?? []), id);
  const sealed = formatSealed(newSealed(Date.now(), { kind: 'kms', newLock: () => lock, keyFor }));
  return { sealed, open: vi.fn(async (asked: Uint8Array) => keys.get(toBase64(asked))) };
}

const encrypt = (options: LocalServiceOptions) =>
  new EaasClient({ service: createLocalService(options) }).encrypt('token', { context, as: 'bundle' });
const errorOf = (work: () => unknown): Promise<Error> =>
  Promise.resolve()
    .then(work)
    .then(never, (error: Error) => error);
function never(): never {
  throw new Error('this must not happen');
}

/** The number of promises that a call makes, once the first ones are over, which also remember things. */
async function promisesOf(service: LocalService): Promise<number> {
  let made = 0;
  for (let times = 0; times < 5; times++) await service.call('GET /v1/keys', {});
  // Only what this call makes: other tests can run in the same process.
  const own = new AsyncLocalStorage<true>();
  const init = (_: number, type: string) => {
    made += Number(type === 'PROMISE' && own.getStore() === true);
  };
  const hook = createHook({ init }).enable();
  await own.run(true, () => service.call('GET /v1/keys', {}));
  hook.disable();
  return made;
}

test('without `open`, the module that asks key services is not loaded', () => {
  const sources = readdirSync(import.meta.dirname).filter((name) => !name.includes('.test.'));
  const imports = sources.flatMap((name) =>
    Array.from(
      readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(/.*'\.\/opening\.ts'.*/g),
      String,
    ),
  );
  expect(imports).toContainEqual(expect.stringContaining("await import('./opening.ts')"));
  expect(imports.filter((line) => !/^(?:import|export) type |await import\(/.test(line.trim()))).toEqual([]);
});

test('once the keys are open, a call waits for nothing more than without `open`', async () => {
  const promises = await promisesOf(createLocalService({ sealed: unlocked }));
  expect(promises).toBeGreaterThan(0);
  expect(await promisesOf(createLocalService(lockedKeys()))).toBe(promises);
});

const { text, tenant, key, ...given } = vectors('local-lock').cases[0] ?? never();
const open = () => bytes(given.opened);

test('the vector: the key of the lock, the secret, and the same text written again', async () => {
  const opened = open();
  expect([toBase64(keyOfService(opened, tenant)), opened.some(Boolean)]).toEqual([given.lock_key, false]);
  const keyFor = () => keyOfService(open(), tenant);
  const file = openSealed(text, { kind: 'kms', newLock: never, keyFor });
  expect([toBase64(file.secret), formatSealed(file)]).toEqual([given.secret, text]);
  const asked = vi.fn(open);
  const { tenantId, keyId } = createLocalService({ sealed: text, open: asked });
  const { key_id } = await encrypt({ sealed: text, open: asked });
  expect([tenantId, keyId, key_id]).toEqual([tenant, key, key]);
  expect(asked.mock.calls).toMatchObject([[bytes(given.sealed), { signal: { aborted: false } }]]);
});

test('the vector, altered in any character, is refused before a value is encrypted, and quoted nowhere', async () => {
  for (const at of some(132, Array.from(text, (_, index) => index).slice(11))) {
    const sealed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
    const { name, message } = await errorOf(() => encrypt({ sealed, open }));
    expect([at, name]).toEqual([at, 'InputError']);
    expect(message).not.toMatch(/[A-Za-z\d+/=]{26}|[\da-f]{8}-/);
  }
});

test('before the first call, nobody is asked, and nothing is drawn or timed; then one question serves all', async () => {
  const locked = lockedKeys();
  const drawing = [vi.spyOn(crypto, 'getRandomValues'), vi.spyOn(crypto, 'randomUUID')];
  const spies = [...drawing, vi.spyOn(globalThis, 'setTimeout')];
  const client = new EaasClient({ service: createLocalService(locked) });
  await new Promise(setImmediate);
  expect([locked.open, ...spies].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0, 0]);
  spies.forEach((spy) => spy.mockRestore());
  await Promise.all(Array.from({ length: 1_000 }, () => client.encrypt('x', { context, fresh: true })));
  expect(locked.open).toHaveBeenCalledTimes(1);
});

type Members = Record<'lock' | 'tenant_secret' | 'keys', unknown>;
const membersOf = ({ sealed }: { sealed: string }) => JSON.parse(atob(sealed.slice(11))) as Members;
const lockOf = (sealed: unknown) => ({ lock: { kind: 'kms', sealed } });
const [own, other] = [lockedKeys(), membersOf(lockedKeys())];
const ownKeys = [membersOf(own).keys].flat() as object[];

test.each<[string, object, RegExp]>([
  ['is open', membersOf({ sealed: unlocked }), /has no lock of a key service, and somebody might have/],
  ['has the lock of another', { lock: other.lock }, /does not open: only the key service/],
  ['has lock and secret of another', { ...other, keys: ownKeys }, /does not open|damaged or edited/],
  ['has the keys of another', { keys: other.keys }, /damaged or edited/],
  ['has sealed bytes that are unknown', lockOf('AAAA'), /of 32 bytes \(got undefined\)/],
  ['has another key id', { keys: [{ ...ownKeys[0], key_id: tenant }] }, /damaged or edited/],
  ['has an id that is none', { tenant_id: '../../etc' }, /damaged or edited/],
  ['has no keys', { keys: [] }, /a key named `default`/],
  ['has a key in place of a list', { keys: ownKeys[0] }, /damaged or edited/],
  ['has no sealed bytes', lockOf(undefined), /no `lock.sealed`/],
  ['has too few sealed bytes', lockOf(''), /has no lock of a key service/],
  ['has too many sealed bytes', lockOf(btoa('x'.repeat(2_049))), /has no lock of a key service/],
])('under a text that %s, no value is encrypted', async (_, members, reason) => {
  const sealed = `eaas_local_${btoa(JSON.stringify({ ...membersOf(own), ...members }))}`;
  const { name, message } = await errorOf(() => encrypt({ sealed, open: own.open }));
  expect([name, message]).toEqual(['InputError', expect.stringMatching(reason)]);
});

test.each<[LocalServiceOptions, RegExp]>([
  [{ sealed: text }, /is locked: only the key service that sealed it opens it, by `open`/],
  [
    { sealed: unlocked, open: undefined },
    /`open` of `createLocalService` must be a function \(got undefined\)/,
  ],
  [{ file: '.eaas/local.json', open }, /`open` needs `sealed`/],
])('options %# are refused at once', (options, reason) => {
  expect(() => createLocalService(options)).toThrow(reason);
});

test('`ready` opens the keys at the start; `apiKey` is there afterwards', async () => {
  const locked = lockedKeys();
  const service = createLocalService(locked);
  expect(() => service.apiKey).toThrow('the keys are not open yet: await `ready()`');
  await service.ready();
  await service.ready();
  expect(locked.open).toHaveBeenCalledTimes(1);
  expect(await ask(service, `GET /v1/keys/${service.keyId}`)).toMatchObject({ name: 'default' });
  for (const each of [createLocalService(), createLocalService({ sealed: unlocked })]) {
    expect(await each.ready()).toBe(undefined);
  }
});

test('a key service that refuses makes every kind of call `unavailable`', async () => {
  const cause = Object.assign(new Error('no right to arn:aws:kms'), { name: 'AccessDeniedException' });
  const refusing = vi.fn(() => Promise.reject(cause));
  const service = createLocalService({ sealed: text, open: refusing });
  const client = new EaasClient({ service });
  const works = [() => client.encrypt('x'), () => service.createKey('default'), () => service.ready()];
  for (const work of [...works, () => service.call('GET /v1/keys', {})]) {
    expect(await errorOf(work)).toMatchObject({ code: 'unavailable', cause });
  }
  const response = await service.fetch(`${service.baseUrl}/v1/keys`);
  expect(await response.json()).toMatchObject({ status: 503, code: 'unavailable' });
  expect(refusing).toHaveBeenCalledTimes(1);
});
