// Stores sealed halves and encrypted notes, and cannot open either. Requires a running server and its `.env` (`npm start`).
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createProxy, toNodeHandler } from '@eaas/sdk/proxy';
import { build } from 'esbuild';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID'].filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey, EAAS_KEY_ID: keyId, PORT = '3000' } = process.env;
if (!/^\d+$/.test(PORT) || Number(PORT) > 65_535) refusePort(PORT);
const origin = `http://localhost:${PORT}`;
// In your app, a row of a table, and the patient is the one of the session.
const account = { keyId, patient: 'patient-7', sealed: null, notes: [] };
const grant = {
  keys: [keyId],
  operations: ['wrap', 'unwrap'],
  subject: account.patient,
  user: account.patient,
};
const toService = toNodeHandler(createProxy({ baseUrl, apiKey, origin, authorize: () => grant }));

const entryPoints = [new URL('page.js', import.meta.url).pathname];
const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', write: false });
const pages = {
  '/': ['text/html', await readFile(new URL('page.html', import.meta.url))],
  '/page.js': ['text/javascript', outputFiles[0].contents],
};

async function store(request) {
  if (request.headers.origin !== origin) return 403;
  const { sealed, note } = await json(request);
  if (sealed && account.sealed) return 409; // another half would take the notes from the patient
  if (sealed) account.sealed = sealed;
  if (note) account.notes.push(note);
  return 204;
}

async function answer(request, response) {
  if (request.url.startsWith('/api/eaas/')) return toService(request, response);
  if (request.method === 'POST') return response.writeHead(await store(request).catch(() => 400)).end();
  if (request.url === '/account') return response.end(JSON.stringify(account));
  const [type, body] = pages[request.url] ?? [];
  return response.writeHead(type ? 200 : 404, { 'content-type': type ?? 'text/plain' }).end(body);
}

const server = createServer((request, response) => void answer(request, response));
server.on('error', ({ code }) => refusePort(`${PORT}: ${code}`));
server.listen(Number(PORT), () => console.log(`The notes are at ${origin}`));

function refusePort(got) {
  console.error(`PORT must be a free port (got ${got}): set PORT to another port`);
  process.exit(2);
}
