// Prints a ciphertext for `open.py`. Requires a running server and its `.env` (`npm start`).
import { EaasClient } from '@eaas/sdk';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID'].filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const ciphertext = await new EaasClient().encrypt('Ada, born 1815 ✓', {
  context: { table: 'notes', row: '7' },
});
console.log(ciphertext);
