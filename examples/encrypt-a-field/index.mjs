// Makes a key, encrypts a field here, decrypts it again, and shows what the audit log says of that.
// Needs a running server and EAAS_API_KEY; EAAS_BASE_URL if it is not on http://127.0.0.1:8080.
import { EaasClient } from '@eaas/sdk';

const { EAAS_API_KEY: apiKey, EAAS_BASE_URL: baseUrl = 'http://127.0.0.1:8080' } = process.env;
if (!apiKey) {
  console.error('Set EAAS_API_KEY to a token from `npx eaas api-key create`.');
  process.exit(2);
}

const call = async (method, path, body) => {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await fetch(baseUrl + path, request);
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${json.detail}`);
  return json;
};

const { key_id: keyId } = await call('POST', '/v1/keys', { name: `example ${new Date().toISOString()}` });
console.log(`Key        ${keyId}`);

const eaas = new EaasClient({ baseUrl, apiKey });
const context = { table: 'users', row: '42' };
const { ciphertext } = await eaas.encrypt('4111 1111 1111 1111', { keyId, context });
console.log(`Ciphertext ${ciphertext.slice(0, 40)}… (${ciphertext.length} characters)`);
console.log(`Plaintext  ${await eaas.decryptText(ciphertext, { keyId, context })}`);

const moved = { table: 'users', row: '43' };
const refusal = await eaas.decrypt(ciphertext, { keyId, context: moved }).catch((error) => error);
console.log(`Moved      ${refusal.name}: ${refusal.message}`);

const { logs } = await call('GET', `/v1/audit?key_id=${keyId}`);
console.log('Audit log');
for (const entry of logs)
  console.log(`  ${entry.id}  ${entry.created_at}  ${entry.action}  by ${entry.actor}`);
