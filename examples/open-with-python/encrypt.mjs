// Prints a ciphertext for `open.py`. Requires a running server and its `.env` (`npm start -- --env`).
import { EaasClient } from '@eaas/sdk';

const { ciphertext } = await new EaasClient().encrypt('Ada, born 1815 ✓', {
  context: { table: 'notes', row: '7' },
});
console.log(ciphertext);
