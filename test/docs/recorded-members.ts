// Which members the `metadata` of audit entries have: what a service records that is called in every way, and what only
// commands of the operator and users with a token add. The table of the contract page is generated from it.
import { type AuditAction, auditActions } from '@eaas/protocol/wire';
import { EaasClient } from '@eaas/sdk';
import { createIntake } from '@eaas/sdk/intake';
import { createTestService } from '@eaas/local';
import { newIssuer } from '@eaas/test-kit/calls';
import { jwkOfBits } from '@eaas/test-kit/rsa';

const ofUsers = ['items', 'workload'];
const ofOthers: Partial<Record<AuditAction, readonly string[]>> = {
  'key.wrap': ofUsers,
  'key.unwrap': ofUsers,
  encrypt: ofUsers,
  decrypt: ofUsers,
  'tenant.update': ['restored', 'reason'],
  'key.create': ['imported', 'status'],
};

/** Calls every endpoint, and returns the names in the metadata of the audit entries, by action. */
export async function recordedMembers(): Promise<Map<AuditAction, Set<string>>> {
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

  const members = new Map(auditActions.map((action) => [action, new Set(ofOthers[action])]));
  for await (const { action, metadata } of client.audit.list())
    for (const name of Object.keys(metadata)) members.get(action)?.add(name);
  return members;
}
