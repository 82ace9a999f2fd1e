// Makes a key, encrypts a field here, decrypts it again, and shows what the audit log says of that.
// Needs a running server and EAAS_API_KEY; EAAS_BASE_URL if it is not on http://127.0.0.1:8080.
import { EaasClient } from '@eaas/sdk';

const { EAAS_API_KEY: apiKey, EAAS_BASE_URL: baseUrl = 'http://127.0.0.1:8080' } = process.env;
if (!apiKey) {
  console.error('Set EAAS_API_KEY to a token from `npx eaas api-key create`.');
  process.exit(2);
}

const eaas = new EaasClient({ baseUrl, apiKey });
const { key_id: keyId } = await eaas.keys.create({ name: `example ${new Date().toISOString()}` });
console.log(`Key        ${keyId}`);

const context = { table: 'users', row: '42' };
const { ciphertext } = await eaas.encrypt('4111 1111 1111 1111', { keyId, context });
console.log(`Ciphertext ${ciphertext.slice(0, 40)}… (${ciphertext.length} characters)`);
console.log(`Plaintext  ${await eaas.decryptText(ciphertext, { keyId, context })}`);

const moved = { table: 'users', row: '43' };
const refusal = await eaas.decrypt(ciphertext, { keyId, context: moved }).catch((error) => error);
console.log(`Moved      ${refusal.name}: ${refusal.message}`);

console.log('Audit log');
for await (const entry of eaas.audit.list({ key_id: keyId }))
  console.log(`  ${entry.id}  ${entry.created_at}  ${entry.action}  by ${entry.actor}`);
