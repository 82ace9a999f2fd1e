import { formatApiKey } from '@eaas/protocol/wire';
import { createTestService, createLocalService, type TestService } from '@eaas/local';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withEnvironment as withoutEnvironment } from './environment.ts';
import { createBrowserClient } from '../browser/browser.ts';
import {
  EaasClient,
  type EaasClientOptions,
  type EaasEvent,
  type EnvelopeClient,
  InputError,
} from '../index.ts';

const service = createTestService();
const { key_id: keyId } = await service.createKey('of the environment');
const { fetch } = service;

const variables = { EAAS_BASE_URL: service.baseUrl, EAAS_API_KEY: service.apiKey, EAAS_KEY_ID: keyId };
beforeEach(() => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
});
afterEach(() => void vi.unstubAllEnvs());

test('options that are passed to a client take precedence over environment variables', async () => {
  const { key_id: other } = await service.createKey('passed');
  const reader = await service.createApiKey({ name: 'reader', permissions: ['keys.read'] });
  const client = new EaasClient({ apiKey: reader.api_key, keyId: other, fetch });
  await expect(client.encrypt('Ada')).rejects.toMatchObject({ code: 'permission_missing' });
  expect((await new EaasClient({ keyId: other, fetch }).encrypt('Ada', { as: 'bundle' })).key_id).toBe(other);
});

test('the client never sends EAAS_API_KEY to a `baseUrl` that the caller passed', async () => {
  const unasked = vi.fn();
  for (const absent of [{}, { apiKey: undefined }]) {
    const make = () => new EaasClient({ baseUrl: 'https://elsewhere.example', fetch: unasked, ...absent });
    expect(make).toThrow(
      'pass `apiKey` together with `baseUrl` (got no `apiKey`): the API key in EAAS_API_KEY is sent only to the URL in EAAS_BASE_URL',
    );
    expect(make).toThrow(InputError);
    expect(make).not.toThrow(service.apiKey);
  }
  expect(unasked).not.toHaveBeenCalled();
});

test.each([
  ['EAAS_BASE_URL', undefined, 'is EAAS_BASE_URL set?'],
  ['EAAS_BASE_URL', 'http://eaas.example', '`EAAS_BASE_URL` must use https:'],
  ['EAAS_BASE_URL', 'eaas.example', '`EAAS_BASE_URL` must be the URL of the service'],
  ['EAAS_API_KEY', undefined, 'is EAAS_API_KEY set?'],
  ['EAAS_API_KEY', 'hunter2', '`EAAS_API_KEY` must be an API key (eaas_sk_ and 49 characters) (got another'],
  ['EAAS_API_KEY', `"${service.apiKey}"`, '(got text that begins with `"`)'],
  ['EAAS_API_KEY', `Bearer ${service.apiKey}`, '(got text that begins with `Bearer`)'],
  ['EAAS_BASE_URL', `'${service.baseUrl}'`, "(got text that begins with `'`)"],
  ['EAAS_HALF', 'abc', 'EAAS_HALF must be what `eaas half new` printed (got a string)'],
  ['EAAS_KEY_ID', 'patients', '`EAAS_KEY_ID` must be a UUID (got text of 8 characters)'],
])('the constructor throws InputError with advice if the environment has %s=%s', (name, value, advice) => {
  vi.stubEnv(name, value);
  expect(() => new EaasClient()).toThrow(advice);
  expect(() => new EaasClient()).toThrow(InputError);
  expect(() => new EaasClient()).not.toThrow('hunter2');
});

test('a `service` in the process has its own connection and default key', async () => {
  const local = createLocalService();
  const { key_id: named } = await local.createKey('named');
  expect(
    (await new EaasClient({ service: local, keyId: named }).encrypt('Ada', { as: 'bundle' })).key_id,
  ).toBe(named);
  const before = service.requests.length;
  const tested = new EaasClient({ service });
  expect(tested.keyId).toBeUndefined();
  await tested.keys.page();
  expect(service.requests).toHaveLength(before + 1);
});

const local = createLocalService();
const { key_id: own } = await service.createKey('of the app');
const halves = {
  EAAS_HALF: 'eaas_half_VSKJF9dfAeJoWeuyFp5EkW3ZcrIIOfWJ7WBqHh7Q6GE4LQSsN',
  EAAS_HALF_ID: '8f5690b4',
};
const other = { baseUrl: 'https://other.example', apiKey: formatApiKey(new Uint8Array(32)) };
const signIn = { issuer: own, subject: null, token: () => `e30.${btoa('{}').replace(/=+$/, '')}.x` };

/** Encrypts with a client. Returns which address, credential, key and half it used. */
async function usedBy(make: (more: EaasClientOptions) => EnvelopeClient): Promise<unknown[]> {
  const sent: unknown[] = [];
  const forward: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push(new URL(request.url).origin, request.headers.get('authorization')?.replace('Bearer ', ''));
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
    const url = request.url.replace(/.*(?=\/v1\/)/, service.baseUrl);
    return fetch(url, { method: 'POST', headers, body: await request.text() });
  };
  let half: string | undefined;
  const onEvent = (event: EaasEvent): void => {
    if (event.type === 'data_key.minted') ({ half } = event);
  };
  const { key_id } = await make({ fetch: forward, onEvent }).encrypt('Ada', { context: {}, as: 'bundle' });
  return [...sent, key_id, half];
}

const { EAAS_HALF_ID: halfId } = halves;
const { origin } = new URL(service.baseUrl);
test.each<[string, (more: EaasClientOptions) => EnvelopeClient, unknown[]]>([
  ['EaasClient', (more) => new EaasClient(more), [origin, service.apiKey, keyId, halfId]],
  [
    'with `baseUrl`',
    (more) => new EaasClient({ ...other, ...more }),
    [other.baseUrl, other.apiKey, keyId, halfId],
  ],
  [
    'with a sign-in',
    (more) => new EaasClient({ ...signIn, ...more }),
    [origin, signIn.token(), keyId, halfId],
  ],
  ['with `service`', ({ onEvent }) => new EaasClient({ service: local, onEvent }), [local.keyId, halfId]],
  [
    'with `half: null`',
    ({ onEvent }) => new EaasClient({ service: local, half: null, onEvent }),
    [local.keyId, undefined],
  ],
  [
    'createBrowserClient',
    (more) => createBrowserClient({ proxyUrl: other.baseUrl, keyId: own, ...more }),
    [other.baseUrl, undefined, own, undefined],
  ],
])(
  'with all variables of the environment, a client is what its options leave open: %s',
  async (_, make, used) => {
    for (const [name, value] of Object.entries(halves)) vi.stubEnv(name, value);
    expect(await usedBy(make)).toEqual(used);
  },
);

test.each(['baseUrl', 'apiKey', 'fetch'] as const)('a client refuses `service` and `%s` together', (name) => {
  const local = createLocalService();
  expect(() => new EaasClient({ service: local, [name]: local[name] })).toThrow(
    `pass either \`service\` or \`${name}\`: \`service\` has its own \`${name}\``,
  );
});

test('a client names what is wrong with its `service`', () => {
  const { baseUrl, apiKey, fetch } = service;
  const clientOf = (value: object) => () => new EaasClient({ service: value as TestService });
  expect(clientOf({})).toThrow('`service` of `new EaasClient` must be what `createLocalService()` returns');
  expect(clientOf({ baseUrl, fetch })).toThrow('`apiKey` must be an API key');
  expect(clientOf({ apiKey, fetch })).toThrow('`baseUrl` must be the URL of the service');
});

test('an error about a passed option names the option, not the variable', () => {
  vi.stubEnv('EAAS_KEY_ID', 'ignored');
  expect(() => new EaasClient({ keyId: 'patients' })).toThrow('`keyId` must be a UUID');
  expect(() => new EaasClient({ apiKey: 'hunter2', keyId })).toThrow('`apiKey` must be an API key');
});

test('without EAAS_KEY_ID, each call asks for the key, and none suggests `anyKey`', async () => {
  const ciphertext = await new EaasClient({ fetch }).encrypt('Ada');
  const expected = new InputError('`keyId` is missing: pass it to the client or set EAAS_KEY_ID');
  for (const none of [undefined, '']) {
    vi.stubEnv('EAAS_KEY_ID', none);
    const client = new EaasClient({ fetch });
    for (const call of [client.encrypt('Ada'), client.decrypt(ciphertext)]) {
      expect(await call.catch((error: unknown) => error)).toEqual(expected);
    }
    expect((await client.encrypt('Ada', { keyId, as: 'bundle' })).key_id).toBe(keyId);
  }
});

test('a half that must not be read is an error, and not a client without it', async () => {
  const refusing = new Proxy({}, { get: () => expect.fail('NotCapable') });
  vi.stubGlobal('process', Object.create(process, { env: { value: refusing } }));
  vi.resetModules();
  const { withEnvironment } = await import('./environment.node.ts');
  vi.unstubAllGlobals();
  vi.resetModules();
  const passed = { baseUrl: service.baseUrl, apiKey: service.apiKey, keyId };
  expect(() => withEnvironment(passed)).toThrow('EAAS_HALF_ID cannot be read: allow Deno');
  expect(withEnvironment({ ...passed, half: null })).toEqual({ ...passed, half: null });
});

test('on a platform without environment variables, `withoutEnvironment` returns the given options', () => {
  const options = { retries: 1 };
  expect(withoutEnvironment(options)).toBe(options);
});
