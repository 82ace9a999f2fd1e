// Serves a sign-up form whose values are encrypted in the page, and stores them in PostgreSQL.
// Requires a running server and its `.env` (`npm start`), and DATABASE_URL.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createProxy, toNodeHandler } from '@eaas/sdk/proxy';
import { isEncrypted } from '@eaas/sdk/fields';
import { build } from 'esbuild';
import postgres from 'postgres';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID', 'DATABASE_URL'].filter(
  (name) => !process.env[name],
);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const { EAAS_BASE_URL, EAAS_API_KEY, EAAS_KEY_ID, DATABASE_URL, PORT = '3000' } = process.env;
if (!/^\d+$/.test(PORT) || Number(PORT) > 65_535) refusePort(PORT);
const origin = `http://localhost:${PORT}`;
const sql = postgres(DATABASE_URL, { onnotice: () => {} });
await sql`
  create table if not exists sign_ups (
    id uuid primary key,
    name text not null check (name like 'eaasA%'),
    email text not null check (email like 'eaasA%'),
    email_index text not null unique
  )`;

const proxy = createProxy({
  baseUrl: EAAS_BASE_URL,
  apiKey: EAAS_API_KEY,
  origin,
  // Visitors are not signed in, so every visitor gets the same grant: to encrypt and to compute fingerprints, but not
  // to decrypt.
  authorize: () => ({ keys: [EAAS_KEY_ID], operations: ['wrap', 'hash'], context: { form: 'sign-up' } }),
  onEvent: (event) => console.warn(event),
});

const options = { entryPoints: [new URL('page.js', import.meta.url).pathname], bundle: true, format: 'esm' };
const { outputFiles } = await build({ ...options, write: false });
const pages = {
  '/': ['text/html', await readFile(new URL('page.html', import.meta.url))],
  '/page.js': ['text/javascript', outputFiles[0].contents],
  '/key-id': ['text/plain', EAAS_KEY_ID],
};

async function signUp(request) {
  if (!(Number(request.headers['content-length']) <= 32_768)) return [413, 'The form is too long.'];
  const { id, name, email, email_index } = await json(request);
  if (![name, email].every(isEncrypted) || !/^[\da-f]{64}$/.test(email_index)) {
    return [400, 'The form must be encrypted.'];
  }
  const { count } = await sql`
    insert into sign_ups ${sql({ id, name, email, email_index })} on conflict (email_index) do nothing`;
  return count === 1 ? [201, 'Welcome!'] : [409, 'This email has signed up before.'];
}

const toService = toNodeHandler(proxy);
async function answer(request, response) {
  if (request.url.startsWith('/api/eaas/')) return toService(request, response);
  if (request.method === 'POST' && request.url === '/sign-up') {
    const [status, text] = await signUp(request).catch(
      (error) => (console.error(error), [500, 'Try again.']),
    );
    return response.writeHead(status).end(text);
  }
  const [type, body] = pages[request.url] ?? [];
  return response.writeHead(type ? 200 : 404, { 'content-type': type ?? 'text/plain' }).end(body);
}

const server = createServer((request, response) => void answer(request, response));
server.on('error', ({ code }) => refusePort(`${PORT}: ${code}`));
server.listen(Number(PORT), () => console.log(`The form is at ${origin}`));

function refusePort(got) {
  console.error(`PORT must be a free port (got ${got}): set PORT to another port`);
  process.exit(2);
}
