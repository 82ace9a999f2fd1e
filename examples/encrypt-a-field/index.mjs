// Encrypts a refresh token in this process, decrypts it, and shows that the ciphertext does not decrypt in another row.
// Requires a running server, EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID. `npm start` writes these variables to `.env`.
import { EaasClient } from '@eaas/sdk';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID'].filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const eaas = new EaasClient();
const context = { table: 'accounts', row: '42' };
const ciphertext = await eaas.encrypt('1//0gRefreshToken', { context });
console.log(`Ciphertext ${ciphertext.slice(0, 40)}… (${ciphertext.length} characters)`);
console.log(`Plaintext  ${await eaas.decrypt(ciphertext, { as: 'text', context })}`);

const moved = { table: 'accounts', row: '43' };
const refusal = await eaas.decrypt(ciphertext, { context: moved }).catch((error) => error);
console.log(`In row 43  ${refusal.name}: it belongs to row 42`);
