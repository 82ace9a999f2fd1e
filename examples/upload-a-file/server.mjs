// Stores files that the page encrypts: PUT appends a part, HEAD returns the stored size, and GET serves ranges.
// Requires a running server and its `.env` (`npm start`).
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createProxy, toNodeHandler } from '@eaas/sdk/proxy';
import { build } from 'esbuild';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID'].filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const { EAAS_BASE_URL, EAAS_API_KEY, EAAS_KEY_ID, PORT = '3000', UPLOADS = 'uploads' } = process.env;
if (!/^\d+$/.test(PORT) || Number(PORT) > 65_535) refusePort(PORT);
const origin = `http://localhost:${PORT}`;
const users = new Map(); // user by session; replaces a login: everyone who opens the page is a new user
const userOf = (cookie) => users.get(/session=([\w-]+)/.exec(cookie ?? '')?.[1]);
await mkdir(UPLOADS, { recursive: true }).catch(({ code }) => {
  console.error(`UPLOADS must name a folder that this program can create (got ${code} for ${UPLOADS})`);
  process.exit(2);
});

const proxy = createProxy({
  baseUrl: EAAS_BASE_URL,
  apiKey: EAAS_API_KEY,
  origin,
  authorize({ headers }) {
    const user = userOf(headers.get('cookie'));
    // Without the context, every user could unwrap the keys of everybody's files.
    return user && { keys: [EAAS_KEY_ID], operations: ['wrap', 'unwrap'], context: { user } };
  },
  onEvent: (event) => console.warn(event),
});

const entry = fileURLToPath(new URL('page.js', import.meta.url));
const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false });
const pages = {
  '/': ['text/html', await readFile(new URL('page.html', import.meta.url))],
  '/page.js': ['text/javascript', outputFiles[0].contents],
  '/key-id': ['text/plain', EAAS_KEY_ID],
};

async function handleFile(request, response, id) {
  const user = userOf(request.headers.cookie);
  if (!user) return response.writeHead(403).end();
  const path = join(UPLOADS, `${user}.${id}`);
  const size = (await stat(path).catch(() => ({ size: 0 }))).size;
  if (request.method === 'HEAD') return response.writeHead(200, { 'upload-offset': size }).end();
  if (request.method === 'PUT') {
    if (Number(request.headers['upload-offset']) !== size) return response.writeHead(409).end();
    await pipeline(request, createWriteStream(path, { flags: 'a' }));
    return response.writeHead(204).end();
  }
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const [start, end] = [Number(first), Math.min(Number(last), size - 1)];
  if (!(start <= end)) return response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
  const headers = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': end - start + 1 };
  response.writeHead(206, headers);
  return pipeline(createReadStream(path, { start, end }), response);
}

const toService = toNodeHandler(proxy);
async function answer(request, response) {
  if (request.url.startsWith('/api/eaas/')) return toService(request, response);
  const [, id] = /^\/files\/([0-9a-f-]{36})$/.exec(request.url) ?? [];
  if (id) return handleFile(request, response, id);
  if (request.url === '/') {
    const session = randomUUID();
    users.set(session, randomUUID());
    response.setHeader('set-cookie', `session=${session}; HttpOnly; SameSite=Strict; Path=/`);
  }
  const [type, body] = pages[request.url] ?? [];
  return response.writeHead(type ? 200 : 404, { 'content-type': type ?? 'text/plain' }).end(body);
}

const server = createServer((request, response) => {
  // If a request fails, this server only closes the connection. The page sends the missing bytes in a new request.
  answer(request, response).catch(() => response.destroy());
});
server.on('error', ({ code }) => refusePort(`${PORT}: ${code}`));
server.listen(Number(PORT), () => console.log(`The page is at ${origin}`));

function refusePort(got) {
  console.error(`PORT must be a free port (got ${got}): set PORT to another port`);
  process.exit(2);
}
