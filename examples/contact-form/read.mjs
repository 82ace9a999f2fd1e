// Decrypts the messages in the back office. Requires a running server, its `.env` (`npm start`), and an API key
// with the permissions decrypt and keys.read in EAAS_API_KEY.
import { readFile } from 'node:fs/promises';
import { EaasClient } from '@eaas/sdk';
import { fail, findKey, keyName, parseMessages, requireVariables } from './key.mjs';

const [file = 'messages.jsonl'] = process.argv.slice(2);
requireVariables();
const text = await readFile(file, 'utf8').catch(({ code }) =>
  fail(`${file} must be the file that receive.mjs writes (got ${code}): pass its path`),
);
const messages = parseMessages(text, file);
const eaas = new EaasClient();
const key = await findKey(eaas).catch(({ message }) => fail(message));
const keyId = key?.key_id ?? fail(`the key "${keyName}" does not exist: run build.mjs first`);

for (const { submission, ciphertext } of messages) {
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
