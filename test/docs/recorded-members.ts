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

  const { intake_public_key: publicKey } = await client.publicKey(key_id);
  const written = await createIntake({ publicKey: `${publicKey}` }).encrypt('x');
  await client.decrypt(written, { keyId: key_id });
  await client.rewrap(written);
  const sealed = await client.encrypt('x', { keyId: key_id, wrapContext: context });
  const reader = new EaasClient({ ...service, retries: 0 });
  await reader.decrypt(sealed, { keyId: key_id }).catch(() => {});
  await reader.decrypt(sealed, { keyId: key_id, wrapContext: context });
  await client.rewrap(sealed, { wrapContext: context });
  await client.rewrap(sealed).catch(() => {});
  const bundle = await serverMode.encrypt({ key_id, plaintext: 'x', context });
  await serverMode.decrypt({ ...bundle, context });
  await serverMode.decrypt({ ciphertext: written, key_id, key_version: 1 });
  await serverMode.decrypt({ ...bundle }).catch(() => {});

  await keys.rotate(key_id);
  await keys.setRotationPolicy(key_id, { interval_days: 1 });
  await keys.setMinVersion(key_id, { key_version: 2 });
  const { n = '' } = jwkOfBits(3_072);
  await keys.export(key_id, { public_key: { kty: 'RSA', n, e: 'AQAB' } });
  await keys.disable(key_id);
  await keys.enable(key_id);
  await keys.disable(key_id);
  await keys.destroy(key_id);
  await keys.restore(key_id);
  await keys.destroy(key_id, { grace_days: 0 });

  const { key_id: keyId } = await keys.create({ name: 'people', subjects: 'required' });
  /** A client that remembers no erasure. */
  const user = () => new EaasClient({ ...service, retries: 0 }).as('7');
  const ofPerson = { keyId, subject: '42' };
  const wrap = () => user().wrap(new Uint8Array(32), ofPerson);
  const plaintext = { key_id: keyId, plaintext: 'x', subject: '43' };
  await user().unwrap(await wrap(), { subject: '42' });
  const { key_id: exportable } = await keys.create({ name: 'exportable', exportable: true });
  await keys.export(exportable, { public_key: { kty: 'RSA', n, e: 'AQAB' }, subjects: true });
  await user().serverMode.decrypt({ ...(await user().serverMode.encrypt(plaintext)), subject: '43' });
  for (const subject of ['42', '43']) await client.subjects.erase({ subject });
  await wrap().catch(() => {});
  await user()
    .serverMode.encrypt(plaintext)
    .catch(() => {});

  const { api_key_id } = await apiKeys.create({ name: 'b', permissions: ['encrypt'] });
  await apiKeys.update(api_key_id, { name: 'c' });
  await apiKeys.revoke(api_key_id);
  const { issuer_id } = await client.issuers.create(newIssuer(keyId) as never);
  await client.issuers.update(issuer_id, { name: 'c' });
  await client.issuers.revoke(issuer_id);
  await service.setTenant({ envelopeOnly: true });
  await user()
    .serverMode.encrypt(plaintext)
    .catch(() => {});

  const members = new Map(auditActions.map((action) => [action, new Set(ofOthers[action])]));
  for await (const { action, metadata } of client.audit.list()) {
    for (const name of Object.keys(metadata)) members.get(action)?.add(name);
  }
  return members;
}
