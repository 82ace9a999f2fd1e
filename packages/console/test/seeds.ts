// What a tenant has when a page opens.
import { generateKeyPairSync } from 'node:crypto';
import { EaasClient } from '@eaas/sdk';
import { history, type Stage } from './stage.ts';

export const longName = 'W'.repeat(128);

/** Keys in every state, API keys, and a year of use. Returns the ids of the keys by their names. */
export async function seed({ client, service, pass }: Stage): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const name of ['patients', 'legacy-import', 'archive-2024', longName, 'old-index']) {
    const rotation_policy = name === 'patients' ? { interval_days: 365 } : null;
    ids[name] = (await client.keys.create({ name, rotation_policy })).key_id;
  }
  const patients = { keyId: ids['patients'] ?? '' };
  await service.createApiKey({ name: 'web', permissions: ['encrypt', 'decrypt'], key_ids: [patients.keyId] });
  const allowed_origins = ['https://booking.example', 'https://www.booking.example'];
  await service.createApiKey({ name: 'booking-page', permissions: ['encrypt'], allowed_origins });
  const old = await service.createApiKey({ name: 'first-import', permissions: ['encrypt', 'keys.read'] });
  await client.apiKeys.revoke(old.api_key_id);

  const early = await client.encrypt('from before the rotation', patients);
  for (let month = 0; month < 13; month++) {
    const values = Array.from({ length: 30 + month }, (_, index) => `value ${index}`);
    await client.encryptMany(values, { ...patients, fresh: true });
    await client.serverMode.encrypt({ key_id: patients.keyId, plaintext: 'old code' });
    if (month === 5) await client.keys.rotate(patients.keyId);
    pass(30);
  }
  for (const name of ['legacy-import', 'archive-2024', 'old-index']) {
    await client.keys.disable(ids[name] ?? '');
  }
  await client.keys.destroy(ids['archive-2024'] ?? '', { grace_days: 30 });
  await client.keys.destroy(ids['old-index'] ?? '', { grace_days: 0 });
  pass(history - 390);
  await client.decrypt(early, patients);
  return ids;
}

export const subject = 'patient-42';

/** Two people, whom three users, an API key and a wrong context have read. Returns the subject_id of `subject`. */
export async function seedPeople({ client, service, pass }: Stage): Promise<string> {
  const { key_id: keyId } = await client.keys.create({ name: 'patients' });
  const web = await service.createApiKey({ name: 'web', permissions: ['encrypt', 'decrypt'] });
  const cache = { encrypt: false, decrypt: false } as const;
  const app = new EaasClient({ ...service, apiKey: web.api_key, keyId, cache });
  const ciphertext = await app.as('dr-7').encrypt('penicillin', { subject });
  await app.encrypt('rest', { subject: 'patient-43' });
  for (const user of ['dr-7', 'nurse-3', 'dr-9']) {
    pass(7);
    await app.as(user).decrypt(ciphertext, { subject });
  }
  await app.decrypt(ciphertext, { subject });
  await app
    .as('dr-9')
    .decrypt(ciphertext, { subject, wrapContext: { visit: '8' } })
    .catch(() => {});
  return (await client.subjects.show({ subject })).subject_id;
}

const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
export const keySet = JSON.stringify({ keys: [{ ...jwk, kid: 'autumn', alg: 'EdDSA' }] });

/** A key, and the sign-ins of patients and of staff. */
export async function seedSignIns({ client: { keys, issuers } }: Stage): Promise<void> {
  const { key_id } = await keys.create({ name: 'patients' });
  const common = {
    audience: 'https://clinic.example',
    jwks: JSON.parse(keySet) as { keys: { kty: string }[] },
    key_ids: [key_id],
  };
  await issuers.create({
    ...common,
    name: 'staff',
    issuer: 'https://login.clinic.example/realms/employees-of-all-houses',
    permissions: ['decrypt'],
    any_subject: true,
    require: { role: ['doctor', 'nurse'] },
  });
  await issuers.create({
    ...common,
    name: 'patients',
    issuer: 'https://patients.clinic.example',
    permissions: ['encrypt', 'decrypt', 'audit.own'],
    allowed_origins: ['https://app.clinic.example'],
  });
}
