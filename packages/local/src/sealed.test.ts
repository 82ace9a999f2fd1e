import { EaasClient, type EaasEvent } from '@eaas/sdk';
import { readBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLocalService } from './index.ts';
import { forgotten, formatSealed, newSealed, openSealed, replaced, rotated } from './sealed.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 26);

afterEach(() => void vi.useRealTimers());

function at(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(time);
}

/** A deployment, with a client whose data keys nobody has yet. */
function deploy(sealed: string, events: EaasEvent[] = []) {
  const service = createLocalService({ sealed });
  return { service, client: new EaasClient({ service, onEvent: (event) => void events.push(event) }) };
}

const versionIn = async ({ client }: ReturnType<typeof deploy>): Promise<number> =>
  (await client.encrypt('x', { context: {}, fresh: true, as: 'bundle' })).key_version;

describe('a sealed text', () => {
  const text = formatSealed(newSealed(start));

  test('opens without random bytes, which Workers do not have before the first request', async () => {
    const drawing = [vi.spyOn(crypto, 'getRandomValues'), vi.spyOn(crypto, 'randomUUID')];
    const { client, service } = deploy(text);
    expect([service.keyId.length, service.tenantId.length]).toEqual([36, 36]);
    expect(drawing.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    drawing.forEach((each) => each.mockRestore());
    const { ciphertext, key_id } = await client.encrypt('token', { context: {}, as: 'bundle' });
    expect(key_id).toBe(service.keyId);
    const overHttp = new EaasClient({ ...service, apiKey: service.apiKey });
    expect(await overHttp.decrypt(ciphertext, { as: 'text', context: {} })).toBe('token');
  });

  test('has ten versions of a key in at most 4 kB', () => {
    let file = newSealed(start);
    for (let version = 2; version <= 10; version++) file = rotated(file, start, start);
    expect(formatSealed(file).length).toBeLessThanOrEqual(4_096);
    expect(openSealed(formatSealed(file)).keys[0]).toMatchObject({ key_version: 10 });
  });

  const edited = (change: (json: string) => string): string => {
    const json = new TextDecoder().decode(readBase64(text.slice('eaas_local_'.length)));
    return `eaas_local_${toBase64(new TextEncoder().encode(change(json)))}`;
  };

  test.each<[string, string, RegExp]>([
    ['is cut', text.slice(0, -40), /was cut/],
    ['is there twice', `${text}${text}`, /is there twice/],
    ['is quoted', `"${text}"`, /prints: eaas_local_… \(got text that begins with `"`\)/],
    ['is broken into lines', `${text.slice(0, 60)}\n${text.slice(60)}`, /quoted, or broken into lines/],
    ['is another text', 'eaas_sk_1234', /prints: eaas_local_…/],
    [
      'was edited',
      edited((json) => json.replace('"exportable":false', '"exportable":true')),
      /cut, damaged or edited/,
    ],
    ['has no key', formatSealed({ ...newSealed(start), keys: [] }), /must have a key named `default`/],
    ['is locked', edited((json) => json.replace('"none"', '"key"')), /is locked/],
    [
      'is of another version',
      edited((json) => json.replace('"version":1', '"version":2')),
      /another version than 1/,
    ],
  ])('that %s is refused, and not quoted', (_, given, reason) => {
    let message = '';
    try {
      createLocalService({ sealed: given });
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toMatch(reason);
    expect(message).not.toContain(text.slice(20, 40));
  });

  test.each<[object, RegExp]>([
    [{ sealed: undefined }, /is the variable set\? \(got undefined\)/],
    [{ sealed: '' }, /is the variable set\?/],
    [{ file: undefined }, /must be the path of the key file/],
    [{ file: '.eaas/local.json', sealed: text }, /pass either `file`, `sealed` or `secret`/],
    [{ sealed: text, create: false }, /`create: false` needs `file`/],
  ])('options without a value never mean keys in memory: %j', (options, message) => {
    expect(() => createLocalService(options)).toThrow(message);
    // @ts-expect-error: the keys are in one place
    void ((): unknown => createLocalService({ file: '', sealed: '' }));
  });

  test('cannot change: what needs a file or a server says so', async () => {
    const { service, client } = deploy(text);
    const later = deploy(formatSealed(rotated(openSealed(text), start, start)));
    const key_id = service.keyId;
    const changes = [
      () => client.encrypt('x', { context: {}, subject: '42' }),
      () => client.keys.rotate(key_id),
      () => client.subjects.erase({ subject: '42' }, { create: true }),
      () => later.client.keys.setMinVersion(key_id, { key_version: 2 }),
      () => service.createKey('other'),
    ];
    for (const change of changes) {
      await expect(change()).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(
          /people .*need a key file or a server.*eaas import.*@eaas\/local rotate/,
        ) as string,
      });
    }
    await expect(client.audit.list().next()).rejects.toThrow(/no audit log/);
    expect(
      await client.decrypt(await client.encrypt('x', { context: {} }), { as: 'text', context: {} }),
    ).toBe('x');
  });
});

describe('a rotation', () => {
  const before = newSealed(start);
  const after = rotated(before, start, start + hour);

  test('encrypts under the new version from its time on, and decrypts under it at once', async () => {
    at(start + hour - 1);
    const [old, next] = [deploy(formatSealed(before)), deploy(formatSealed(after))];
    expect(await versionIn(next)).toBe(1);
    const early = await next.client.encrypt('early', { context: {}, fresh: true });
    expect(await old.client.decrypt(early, { as: 'text', context: {} })).toBe('early');

    at(start + hour);
    expect(await versionIn(next)).toBe(2);
    const late = await next.client.encrypt('late', { context: {}, fresh: true });
    at(start);
    const behind = deploy(formatSealed(after));
    expect(await versionIn(behind)).toBe(1);
    expect(await behind.client.decrypt(late, { as: 'text', context: {} })).toBe('late');
  });

  test('moves old values to the version that encrypts, and never to a later one', async () => {
    at(start + hour - 1);
    const next = deploy(formatSealed(after));
    const ciphertext = await next.client.encrypt('x', { context: {} });
    expect(await next.client.rewrap(ciphertext)).toMatchObject({ keyVersion: 1, rewrapped: false });
    at(start + hour);
    expect(await next.client.rewrap(ciphertext)).toMatchObject({ keyVersion: 2, rewrapped: true });
  });
});

test('a client calls the service, and makes no request', async () => {
  const events: EaasEvent[] = [];
  const { service, client } = deploy(formatSealed(newSealed(start)), events);
  vi.spyOn(service, 'fetch').mockRejectedValue(new Error('fetched'));
  await client.encrypt('x', { context: {} });
  expect((await client.keys.page({ limit: 1 })).keys).toHaveLength(1);
  await expect(client.keys.get('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
    code: 'not_found',
    status: 404,
  });
  await expect(client.keys.create({ name: '' })).rejects.toMatchObject({ code: 'bad_request', status: 400 });
  expect(events.filter(({ type }) => type === 'call')).toMatchObject([
    { route: 'POST /v1/keys/:key_id/wrap', attempts: 1 },
    { route: 'GET /v1/keys', attempts: 1 },
    { code: 'not_found' },
    { code: 'bad_request' },
  ]);
});

test('a leaked key is replaced: a new one encrypts, the old one decrypts until it is forgotten', async () => {
  const before = rotated(newSealed(start), start, start);
  const between = replaced(before, start);
  const [old, both, after] = [before, between, forgotten(between)].map((file) => deploy(formatSealed(file)));
  const leaked = await old?.client.encrypt('token', { context: {}, as: 'bundle' });
  const moved = await both?.client.encrypt('token', { context: {}, as: 'bundle' });
  expect([moved?.key_id === leaked?.key_id, moved?.key_id]).toEqual([false, after?.service.keyId]);
  const keyId = [moved?.key_id ?? '', leaked?.key_id ?? ''];
  const options = { as: 'text', context: {}, keyId } as const;
  for (const { ciphertext } of [leaked, moved].filter((each) => each !== undefined)) {
    expect(await both?.client.decrypt(ciphertext, options)).toBe('token');
  }
  expect(await after?.client.decrypt(moved?.ciphertext ?? '', options)).toBe('token');
  await expect(after?.client.decrypt(leaked?.ciphertext ?? '', options)).rejects.toThrow(/key/);
  expect(replaced(between, start).keys.map(({ name }) => name.slice(0, 9))).toEqual([
    'default',
    'replaced ',
    'replaced ',
  ]);
});
