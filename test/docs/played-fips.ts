// Encrypts and decrypts by every part of the service and the SDK, for nist.slow.test.ts, and prints what came back. It gets
// a ciphertext that was made without a FIPS provider, or none.
import { getFips, setFips } from 'node:crypto';
import { checkAudit } from '@eaas/audit';
import { createLocalService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { createIntake } from '@eaas/sdk/intake';
import { decryptStream, encryptStream } from '@eaas/sdk/stream';
import { eaas, keyId } from '@eaas/test-kit/played-service';

const mode = getFips();
const local = new EaasClient({ service: createLocalService({ sealed: process.env['EAAS_LOCAL'] }) });
const old = process.argv[2] ?? (await local.encrypt('old'));

const ciphertext = await eaas.encrypt('value', { subject: 'user-42', context: { row: '1' } });
await eaas.keys.rotate(keyId);
const rewrapped = await eaas.rewrap(ciphertext, { subject: 'user-42' });
const read = () => eaas.decrypt(rewrapped, { as: 'text', subject: 'user-42', context: { row: '1' } });
const sealed = new Blob(['stream']).stream().pipeThrough(encryptStream(eaas));

const fields = defineFields({ users: { email: field.text().searchable() } });
const records = fields.for(eaas, { index: process.env['EAAS_INDEX_KEY'] ?? '' });
const { email_index } = await records.encryptRow('users', '1', { email: 'Ada' });
const { email_index: wanted } = await records.where('users', { email: 'Ada' });

const { key_id: intakeKey } = await eaas.keys.create({ name: 'form', intake: true });
const { intake_public_key } = await eaas.publicKey(intakeKey);
const written = await createIntake({ publicKey: intake_public_key ?? '' }).encrypt('form');

const opened = {
  mode,
  old: await local.decrypt(old, { as: 'text' }),
  value: await read(),
  stream: await new Response(sealed.pipeThrough(decryptStream(eaas))).text(),
  search: wanted[0] === email_index,
  intake: await eaas.decrypt(written, { keyId: intakeKey, as: 'text' }),
  audit: (await eaas.audit.verify()).valid && (await checkAudit(eaas, { state: null })).ok,
};
if (mode === 1) {
  process.stdout.write(JSON.stringify(opened));
} else {
  // No provider is loaded, so OpenSSL now refuses every algorithm, and a client with its data key in memory asks no service.
  await eaas.prime();
  setFips(true);
  const refused = (work: () => Promise<unknown>) => work().then(() => 'encrypted', String);
  const kinds = [read, () => eaas.encrypt('value'), async () => eaas.encryptSync('value')];
  const errors = await Promise.all(kinds.map(refused));
  process.stdout.write(JSON.stringify({ ...opened, stored: old, refused: errors }));
}
