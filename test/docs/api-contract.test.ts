import { auditActions, endpoints } from '@eaas/protocol/wire';
import { EaasClient } from '@eaas/sdk';
import { createIntake } from '@eaas/sdk/intake';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { newIssuer } from '@eaas/test-kit/calls';
import { jwkOfBits } from '@eaas/test-kit/rsa';
import { codesIn, read, rowsUnder } from '@eaas/test-kit/markdown';
import { generated } from './generated.ts';

const contract = read('docs/api-contract.md');
const firstCodes = (head: string): string[] =>
  rowsUnder(contract, head).flatMap(([cell = '']) => codesIn(cell));

test.each(Object.entries(generated()))(
  '%s has what the endpoint table says (if not, run `npm run generate`)',
  (path, text) => {
    expect(read(path)).toBe(text);
  },
);

test('the API contract describes exactly the endpoints of the protocol', () => {
  const named = codesIn(contract).filter((code) => /^[A-Z]+ \/v1\/[\w/:-]+$/.test(code));
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(endpoints).toSorted());
});

test('the API contract has every audit action', () => {
  expect(firstCodes('action').toSorted()).toEqual(auditActions.toSorted());
});

test('the API contract lists all metadata members of each action', async () => {
  const described = rowsUnder(contract, '`metadata` member').flatMap(([members = '', actions = '']) =>
    codesIn(actions).flatMap((action) => codesIn(members).map((member) => `${action}: ${member}`)),
  );
  // These metadata members are recorded only by commands of the operator, or by users with a token.
  const ofOthers = [
    ...['key.wrap', 'key.unwrap', 'encrypt', 'decrypt'].map((action) => `${action}: items`),
    'tenant.update: restored',
    'tenant.update: reason',
    'key.create: imported',
    'key.create: status',
  ];
  expect(described.toSorted()).toEqual([...new Set([...(await recordedMembers()), ...ofOthers])].toSorted());
});

/** Calls every endpoint, and returns the names in the metadata of the audit entries. */
async function recordedMembers(): Promise<string[]> {
  const service = createTestService();
  const client = new EaasClient({ ...service, retries: 0 });
  const { keys, apiKeys, serverMode } = client;
  const { key_id } = await service.createKey('a', { exportable: true, intake: true });
  const context = { row: '1' };

  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
  const response = await service.fetch(`${service.baseUrl}/v1/keys/${key_id}/public-key`, { headers });
  const { intake_public_key: publicKey } = (await response.json()) as { intake_public_key: string };
  const written = await createIntake({ publicKey }).encrypt('x');
  await client.decrypt(written.ciphertext, { keyId: key_id });
  await client.rewrap(written.ciphertext);
  const sealed = await client.encrypt('x', { keyId: key_id, wrapContext: context });
  const reader = new EaasClient({ ...service, retries: 0 });
  await reader.decrypt(sealed.ciphertext, { keyId: key_id }).catch(() => {});
  await reader.decrypt(sealed.ciphertext, { keyId: key_id, wrapContext: context });
  await client.rewrap(sealed.ciphertext, { wrapContext: context });
  await client.rewrap(sealed.ciphertext).catch(() => {});
  const bundle = await serverMode.encrypt({ key_id, plaintext: 'x', context });
  await serverMode.decrypt({ ...bundle, context });
  await serverMode.decrypt({ ciphertext: written.ciphertext, key_id, key_version: 1 });
  await serverMode.decrypt({ ...bundle }).catch(() => {});

  await keys.rotate({ key_id });
  await keys.setRotationPolicy({ key_id, interval_days: 1 });
  await keys.setMinVersion({ key_id, key_version: 2 });
  const { n = '' } = jwkOfBits(3_072);
  await keys.export({ key_id, public_key: { kty: 'RSA', n, e: 'AQAB' } });
  await keys.disable({ key_id });
  await keys.enable({ key_id });
  await keys.disable({ key_id });
  await keys.destroy({ key_id });
  await keys.restore({ key_id });
  await keys.destroy({ key_id, grace_days: 0 });

  const ofPerson = { subject: '42', user: '7' };
  const send = async (
    method: string,
    path: string,
    body: object,
  ): Promise<Partial<Record<string, string>>> => {
    const response = await service.fetch(`${service.baseUrl}${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as Partial<Record<string, string>>;
  };
  const post = (path: string, body: object) => send('POST', path, body);
  const { key_id: peopleKey = '' } = await post('/v1/keys', { name: 'people', subjects: 'required' });
  const calls = `/v1/keys/${peopleKey}`;
  const dek = Buffer.alloc(32).toString('base64');
  const { wrapped_key } = await post(`${calls}/wrap`, { dek, ...ofPerson });
  await post(`${calls}/unwrap`, { wrapped_key, ...ofPerson });
  const { key_id: exportable } = await post('/v1/keys', { name: 'exportable', exportable: true });
  await post(`/v1/keys/${exportable}/export`, {
    public_key: { kty: 'RSA', n, e: 'AQAB' },
    subjects: true,
  });
  const person = await post('/v1/encrypt', {
    key_id: peopleKey,
    plaintext: 'eA==',
    subject: '43',
    user: '7',
  });
  await post('/v1/decrypt', { ...person, subject: '43', user: '7' });
  await post('/v1/subjects/erase', { subject: '42' });
  await post(`${calls}/wrap`, { dek, ...ofPerson });
  await post('/v1/encrypt', { key_id: peopleKey, plaintext: 'eA==', ...ofPerson });

  const { api_key_id } = await apiKeys.create({ name: 'b', permissions: ['encrypt'] });
  await apiKeys.update({ api_key_id, name: 'c' });
  await apiKeys.revoke({ api_key_id });
  const { issuer_id } = await send('POST', '/v1/issuers', newIssuer(peopleKey));
  await send('PATCH', `/v1/issuers/${issuer_id}`, { name: 'c' });
  await send('DELETE', `/v1/issuers/${issuer_id}`, {});
  await service.setTenant({ envelopeOnly: true });
  await post('/v1/encrypt', { key_id, plaintext: 'eA==', ...ofPerson });

  const members: string[] = [];
  const actions = new Set<string>();
  for await (const { action, metadata } of client.audit.list()) {
    actions.add(action);
    members.push(...Object.keys(metadata).map((name) => `${action}: ${name}`));
  }
  expect([...actions].toSorted()).toEqual(auditActions.toSorted());
  return members;
}
