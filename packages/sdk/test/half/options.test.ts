// What the option `half` and its variables take, and that a client without them is as it was.
import { randomBytes } from 'node:crypto';
import * as kit from '@eaas/test-kit/decoder';
import { vectors } from '@eaas/test-kit/vectors';
import { afterEach, expect, test, vi } from 'vitest';
import { createBrowserClient } from '../../src/browser/browser.ts';
import { createIndexKey, defineFields, field } from '../../src/fields/fields.ts';
import { EaasClient } from '../../src/index.ts';
import { encryptBlob } from '../../src/stream/stream.ts';
import { bytesOf, observedClient, outcomesOf } from '../observed-client.ts';
const { service, keyId, make, client: without } = await observedClient();
const half = randomBytes(32);
const [id, text] = [kit.halfId(half), kit.tokenOf(half, 'eaas_half_')];
const plain = await without.encrypt('x');
const token = await createIndexKey(without);
const fields = defineFields({ users: { ssn: field.text().searchable() } });
const where = async (client: EaasClient, index: string) =>
  (await fields.for(client, { index }).where('users', { ssn: '123456789' })).ssn_index;
const keyOf = (hash: string, usage: KeyUsage) =>
  crypto.subtle.importKey('raw', half, { name: 'HMAC', hash }, false, [usage]);
const key = await keyOf('SHA-256', 'sign');
const as = 'text';

afterEach(() => void vi.unstubAllEnvs());

/** What becomes of calls: the code of their errors, and whether they make requests or quote a half. */
async function outcomesFor(...calls: (() => unknown)[]): Promise<Set<string>> {
  const outcomes = new Set<string>();
  for (const call of calls) {
    const before = service.requests.length;
    const error = await (async () => call())().catch((thrown: Error & { code: string }) => thrown);
    const quotes = /[0-9A-Za-z]{40}/.test(String(error)) ? ' with a quote' : '';
    const requests = service.requests.length > before ? ' after a request' : '';
    outcomes.add(`${(error as { code?: string }).code}${quotes}${requests}`);
  }
  return outcomes;
}

const outcomesWith = (options = {}) =>
  outcomesFor(
    () => make(options).encrypt('x'),
    () => make(options).decrypt(plain),
    () => make(options).prime(),
    async () => bytesOf((await encryptBlob(make(options), new Blob(['x']))).stream),
    () => where(make(options), 'half'),
    () => where(make(options), token),
  );

const refused = new Set(['input']);
const { refused: texts = {} } = vectors('half').vectors.find((vector) => vector.refused) ?? {};

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['an empty list', []],
  ['32 zero bytes', new Uint8Array(32)],
  ['nine halves', Array.from({ length: 9 }, () => half)],
  ...Object.entries(texts),
  ['a key of HMAC-SHA-512', await keyOf('SHA-512', 'sign')],
  ['a key that only verifies', await keyOf('SHA-256', 'verify')],
])('no half is: %s', async (_, half) => {
  const proxyUrl = 'https://app.example';
  const page = () => createBrowserClient({ keyId, proxyUrl, half: half as never }).encrypt('x');
  expect(await outcomesFor(page)).toEqual(refused);
  for (const wrong of [half, [null, half], () => half, async () => half]) {
    expect(await outcomesWith({ half: wrong })).toEqual(refused);
  }
});

test.each<[string, RegExp, (client: EaasClient) => unknown]>([
  [
    'hash',
    /^`hash` shows values to the service.*index key of `createIndexKey`/,
    (client) => client.hash('x'),
  ],
  ['serverMode', /^`serverMode` shows values to the service.*by `encrypt`/, (client) => client.serverMode],
  [
    "index: 'service'",
    /`index: 'service'` shows values to the service.*`index: 'half'`/,
    (client) => where(client, 'service'),
  ],
])('a half that only EAAS_HALF sets is named where %s would show values', async (_, reason, call) => {
  vi.stubEnv('EAAS_HALF', text);
  const client = make({});
  const error = await (async () => call(client))().catch((thrown: Error) => thrown);
  expect((error as Error).message).toMatch(reason);
  expect((error as Error).message).toContain('unset EAAS_HALF');
});

test('the bytes of the app are copied at once, and never touched', async () => {
  const [own, kept, list] = [Buffer.from(half), Buffer.from(half), [Buffer.from(half)]];
  const clients = [make({ half: own }), make({ half: list }), make({ half: () => [kept, null] })];
  own.fill(7);
  list[0] = own;
  for (const client of clients) {
    const sealed = await client.encrypt('x');
    await client.close();
    expect(await make({ half }).decrypt(sealed, { as })).toBe('x');
  }
  expect([own, kept]).toEqual([Buffer.alloc(32, 7), half]);
});

test('closing records changes no fingerprint of a row that is being encrypted', async () => {
  const client = make({ half });
  const records = fields.for(client, { index: token });
  await records.where('users', { ssn: '1' });
  const row = records.encryptRow('users', 1, { ssn: '123456789' });
  records.close();
  expect([(await row).ssn_index]).toEqual(await where(client, token));
});

test('bytes, a text and a key that cannot be read are the same half, also for index keys', async () => {
  const clients = [half, text, key].map((one) => make({ half: [one, null] }));
  const found = (index: string) => Promise.all(clients.map((client) => where(client, index)));
  for (const index of ['half', token]) expect(new Set((await found(index)).map(String)).size).toBe(1);
  const sealed = [plain, ...(await Promise.all(clients.map((client) => client.encrypt('x'))))];
  for (const client of clients) {
    expect(outcomesOf(await client.decryptMany(sealed, { as }))).toEqual(['x', 'x', 'x', 'x']);
  }
});

test.each([
  ['empty', '', undefined],
  ['a list that ends in a comma', `${text},`, undefined],
  ['`null` first, with EAAS_HALF_ID', `null,${text}`, id],
  ['not set, with EAAS_HALF_ID', undefined, id],
])('no EAAS_HALF is: %s', async (_, halves, halfId) => {
  vi.stubEnv('EAAS_HALF', halves);
  vi.stubEnv('EAAS_HALF_ID', halfId);
  expect(await outcomesWith()).toEqual(refused);
});

test('EAAS_HALF is a half or a list, unless one is passed, also if the service is in the process', async () => {
  const sealed = await make({ half }).encrypt('x', { as: 'bundle' });
  vi.stubEnv('EAAS_HALF_ID', id);
  for (const [halves, outcome] of Object.entries({ [text]: 'decryption', [`${text},null`]: 'x' })) {
    vi.stubEnv('EAAS_HALF', halves);
    expect(outcomesOf(await make().decryptMany([sealed, plain], { as }))).toEqual(['x', outcome]);
    expect(await make({ half }).decrypt(await make().encrypt('x'), { as })).toBe('x');
  }
  expect(await outcomesWith({ half: randomBytes(32) })).toEqual(refused);
  const inProcess = await new EaasClient({ service, keyId }).encrypt('x');
  expect(outcomesOf(await without.decryptMany([inProcess], { as }))).toEqual(['decryption']);
  expect(await make({ half }).decrypt(inProcess, { as })).toBe('x');
});

test('what shows values to the service is refused with a half, and server mode opens none of its values', async () => {
  const sealed = { ...(await make({ half }).encrypt('x', { as: 'bundle' })) };
  await expect(without.serverMode.decrypt(sealed)).rejects.toMatchObject({ status: 422 });
  const calls = [half, [null, half], () => half, key].flatMap((one) => [
    () => make({ half: one }).hash('x'),
    () => make({ half: one }).serverMode.encrypt({ key_id: keyId, plaintext: 'x' }),
    () => make({ half: one }).serverMode.decrypt(sealed),
    () => where(make({ half: one }), 'service'),
  ]);
  expect(await outcomesFor(...calls, () => where(without, 'half'))).toEqual(refused);
});
