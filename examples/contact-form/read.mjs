// Decrypts the messages in the back office. Requires a running server, its `.env` (`npm start -- --env`), and an API key
// with the permissions decrypt and keys.read in EAAS_API_KEY.
import { readFile } from 'node:fs/promises';
import { EaasClient } from '@eaas/sdk';
import { fail, findKey, keyName, requireVariables } from './key.mjs';

const [messages = 'messages.jsonl'] = process.argv.slice(2);
requireVariables();
const lines = await readFile(messages, 'utf8').catch(({ code }) =>
  fail(`${messages} must be the file that receive.mjs writes (got ${code}): pass its path`),
);
const eaas = new EaasClient();
const { key_id: keyId } =
  (await findKey(eaas)) ?? fail(`the key "${keyName}" must exist (got no such key): run build.mjs first`);

for (const line of lines.trim().split('\n')) {
  const { submission, ciphertext } = JSON.parse(line);
  const context = { form: 'contact', submission };
  try {
    const values = JSON.parse(await eaas.decrypt(ciphertext, { keyId, context, as: 'text' }));
    // Anyone can send a message, so the values can have any type and length.
    const email = String(values.email).slice(0, 200);
    const message = String(values.message).slice(0, 5_000);
    console.log(JSON.stringify({ email, message }));
  } catch (error) {
    console.error(`${submission} cannot be read: ${error.message}`);
  }
}
