// Decrypts what write.go or write.py printed. Arguments: the id of the intake key, the ciphertext, and the context as
// name=value. Requires a running server and its `.env` (`npm start`).
import { EaasClient } from '@eaas/sdk';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY'].filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const [keyId, ciphertext, ...pairs] = process.argv.slice(2);
const context = Object.fromEntries(pairs.map((pair) => pair.split('=', 2)));
console.log(await new EaasClient().decrypt(ciphertext, { keyId, context, as: 'text' }));
