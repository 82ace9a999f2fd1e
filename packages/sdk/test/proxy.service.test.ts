import { fromBase64 } from '@eaas/protocol/base64';
import { EaasClient, type EnvelopeClient } from '@eaas/sdk';
import { DecryptionError, ServiceError } from '@eaas/sdk/browser';
import { createIndexKey, defineFields, field } from '@eaas/sdk/fields';
import type { Grant } from '@eaas/sdk/proxy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorld, settle, type World } from '@eaas/test-kit/world';
import { openSessions } from './sessions.ts';

let world: World;
let baseUrl: string;
let apiKey: string;
let backend: EaasClient;
let keyId: string;
let otherKeyId: string;

beforeAll(async () => {
  world = await openWorld(new Date().toISOString());
  const replica = world.replica();
  baseUrl = await world.serve(replica);
  ({ token: apiKey } = await settle(replica, 'acme'));
  backend = new EaasClient({ baseUrl, apiKey });
  ({ key_id: keyId } = await backend.keys.create({ name: 'patients' }));
  ({ key_id: otherKeyId } = await backend.keys.create({ name: 'staff' }));
});

afterAll(() => world.close());

const openApp = (grants: Readonly<Record<string, Grant>>, token = apiKey) =>
  openSessions({ baseUrl, apiKey: token, keyId, grants });

const everything: Grant['operations'] = ['wrap', 'unwrap', 'rewrap', 'hash'];
const grantOf = (user: string): Grant => ({ keys: [keyId], operations: everything, context: { user } });
const users = () => openApp({ ada: grantOf('1'), bob: grantOf('2') });

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'none',
    (error: unknown) => (error as ServiceError).code,
  );
}

describe('pages behind the proxy', () => {
  test('a page with the session of a visitor encrypts locally and sends no plaintext', async () => {
    const { page, bodies } = users();
    await using ada = page('ada');
    const { ciphertext, key_id } = await ada.encrypt('blood type 0', { context: { row: '7' } });
    expect(key_id).toBe(keyId);
    await using later = page('ada');
    expect(await later.decrypt(ciphertext, { as: 'text', context: { row: '7' } })).toBe('blood type 0');
    expect(bodies).toHaveLength(2);
    expect(bodies.join()).not.toContain('blood');
  });

  test("a page cannot decrypt a value of another visitor's session", async () => {
    const { page } = users();
    await using ada = page('ada');
    await using bob = page('bob');
    const { ciphertext } = await ada.encrypt('blood type 0');
    await expect(bob.decrypt(ciphertext)).rejects.toBeInstanceOf(DecryptionError);
    expect(await codeOf(bob.decrypt(ciphertext, { wrapContext: { user: '1' } }))).toBe('bad_request');
    await using nobody = page('eve');
    expect(await codeOf(nobody.decrypt(ciphertext))).toBe('permission_missing');
  });

  test('the backend decrypts values of a web page only with the wrap context of the user', async () => {
    await using ada = users().page('ada');
    const bundle = await ada.encrypt('blood type 0');
    const { ciphertext } = bundle;
    expect(await backend.decrypt(ciphertext, { as: 'text', keyId, wrapContext: { user: '1' } })).toBe(
      'blood type 0',
    );
    await expect(backend.decrypt(ciphertext, { keyId })).rejects.toBeInstanceOf(DecryptionError);
    const { key_version } = bundle;
    expect(await codeOf(backend.serverMode.decrypt({ ciphertext, key_id: keyId, key_version }))).toBe(
      'decryption_failed',
    );
    const answer = await backend.encrypt('see you on Monday', { keyId, wrapContext: { user: '1' } });
    expect(await ada.decrypt(answer, { as: 'text' })).toBe('see you on Monday');
  });

  test('if a page decrypts several values, only those that it may not decrypt fail', async () => {
    const { page, bodies } = users();
    await using ada = page('ada');
    const mine = await ada.encryptMany(['a', 'b'], { fresh: true });
    const staff = await backend.encrypt('salary', { keyId: otherKeyId, wrapContext: { user: '1' } });
    const unbound = await backend.encrypt('public', { keyId });
    const values = [...mine.map((result) => (result.ok ? result.value : '')), staff, unbound];
    await using later = page('ada');
    bodies.length = 0;
    const opened = await later.decryptMany(values, { anyKey: true });
    expect(bodies).toHaveLength(1);
    expect(
      opened.map((result) => (result.ok ? Buffer.from(result.value).toString() : result.error.code)),
    ).toEqual(['a', 'b', 'not_found', 'decryption']);
  });

  test('a page computes the same fingerprints as the backend', async () => {
    await using ada = users().page('ada');
    expect(await ada.hash('ada@example.com')).toBe(await backend.hash('ada@example.com', { keyId }));
    const [x, y] = await Promise.all([ada.hash('x'), ada.hash('y')]);
    expect([x, y]).toEqual([await backend.hash('x', { keyId }), await backend.hash('y', { keyId })]);
    expect(await codeOf(ada.hash('x', { keyId: otherKeyId }))).toBe('not_found');
  });

  test('a page can rewrap only the values of its own user', async () => {
    const { page, post } = users();
    await using ada = page('ada');
    const old = await ada.encrypt('blood type 0');
    await backend.keys.rotate({ key_id: keyId });
    const rewrap = (session: string) =>
      post(session, `/v1/keys/${keyId}/rewrap`, { wrapped_key: old.wrapped_key });
    const { status, json } = await rewrap('ada');
    expect({ status, ...json }).toMatchObject({
      status: 200,
      rewrapped: true,
      key_version: old.key_version + 1,
    });
    const renewed = {
      keyId,
      keyVersion: Number(json['key_version']),
      wrappedKey: fromBase64(String(json['wrapped_key'])),
    };
    expect(await ada.unwrap(renewed)).toEqual(await backend.unwrap(renewed, { wrapContext: { user: '1' } }));
    expect((await rewrap('bob')).json).toMatchObject({ code: 'wrapped_key_unauthentic' });
  });

  test('a page can make only the calls that its session is granted', async () => {
    const { page, post } = openApp({
      reader: { ...grantOf('1'), operations: ['unwrap'] },
      writer: { ...grantOf('1'), operations: ['wrap'] },
    });
    await using reader = page('reader');
    await using writer = page('writer');
    const bundle = await writer.encrypt('note');
    expect(await reader.decrypt(bundle, { as: 'text' })).toBe('note');
    expect(await codeOf(page('writer').decrypt(bundle))).toBe('permission_missing');
    expect(await codeOf(reader.encrypt('note'))).toBe('permission_missing');
    expect(await codeOf(reader.hash('note'))).toBe('permission_missing');
    const { wrapped_key } = bundle;
    expect((await post('reader', `/v1/keys/${keyId}/rewrap`, { wrapped_key })).status).toBe(403);
  });
});

test('a page can search by an index that the backend computed, with an index key', async () => {
  const fields = defineFields({ users: { email: field.text().searchable({ normalize: ['lowercase'] }) } });
  const grant: Grant = { keys: [keyId], operations: ['unwrap'] };
  const index = await createIndexKey(backend, { keyId });
  const open = (client: EaasClient | EnvelopeClient) =>
    fields.for(client, { index, keyIds: { users: keyId } });
  const { email_index } = await open(backend).encryptRow('users', 1, { email: 'Ada@example.com' });
  await using ada = openApp({ ada: grant }).page('ada');
  const found = await open(ada).where('users', { email: 'ADA@example.com' });
  expect(found.email_index).toEqual([email_index]);
});

describe("refusals of the app's API key", () => {
  test.each([
    [
      'be authenticated',
      'unauthorized',
      async () => apiKey.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
    ],
    [
      'make the call',
      'permission_missing',
      async () =>
        (await backend.apiKeys.create({ name: `reader ${Date.now()}`, permissions: ['keys.read'] })).api_key,
    ],
  ])('an API key that cannot %s gives the page only a generic error', async (_, code, token) => {
    const { page, events } = openApp({ ada: grantOf('1') }, await token());
    const error: unknown = await page('ada')
      .hash('x')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'unavailable', status: 502 });
    expect(String(error)).not.toMatch(/API key|permission/i);
    expect(events).toEqual([{ type: 'api_key_refused', code, requestId: (error as ServiceError).requestId }]);
    expect((error as ServiceError).requestId).toBeTruthy();
  });
});
