// Writes the contact form as one static file. Requires a running server, its `.env` (`npm start`),
// and an API key with the permissions encrypt, keys.read and keys.manage in EAAS_API_KEY.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EaasClient } from '@eaas/sdk';
import { build } from 'esbuild';
import { fail, findKey, keyName, requireVariables } from './key.mjs';

const [file = 'contact.html'] = process.argv.slice(2);
requireVariables();
const eaas = new EaasClient();
const { key_id } = (await findKey(eaas)) ?? (await eaas.keys.create({ name: keyName, intake: true }));
const { intake_public_key, key_version } = await eaas.publicKey(key_id);

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('page.js', import.meta.url))],
  define: { PUBLIC_KEY: JSON.stringify(intake_public_key) },
  bundle: true,
  minify: true,
  format: 'esm',
  write: false,
});
const script = outputFiles[0].text;
const hash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
const template = await readFile(new URL('page.html', import.meta.url), 'utf8');
const page = template.replace('</html>', () => `<script type="module">${script}</script></html>`);
await writeFile(
  file,
  page.replace('SCRIPT_HASH', () => hash),
).catch(({ code }) => fail(`${file} must be a file that this program can write (got ${code})`));
console.log(`${file} encrypts under version ${key_version} of the key ${key_id}`);
