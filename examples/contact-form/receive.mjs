// Serves the form, and appends the encrypted messages to a file. The server has no API key and cannot read the
// messages.
import { appendFile, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { isEncrypted } from '@eaas/sdk/fields';
import { fail, parseMessages } from './key.mjs';

const [form = 'contact.html', messages = 'messages.jsonl'] = process.argv.slice(2);
const { PORT = '3000' } = process.env;
if (!/^\d+$/.test(PORT) || Number(PORT) > 65_535) refusePort(PORT);
const page = await readFile(form).catch(({ code }) =>
  fail(`${form} must be the page that build.mjs writes (got ${code}): run build.mjs first`),
);
const stored = await readFile(messages, 'utf8').catch(() => '');
const seen = new Set(parseMessages(stored, messages).map(({ submission }) => submission));

async function receive(request) {
  if (!(Number(request.headers['content-length']) <= 32_768)) return [413, 'The message is too long.'];
  const { submission, ciphertext } = JSON.parse(await text(request));
  if (!/^[\da-f-]{36}$/.test(submission) || typeof ciphertext !== 'string' || !isEncrypted(ciphertext))
    return [400, 'The form must be encrypted.'];
  if (seen.has(submission)) return [409, 'This message arrived before.'];
  seen.add(submission);
  await appendFile(messages, `${JSON.stringify({ submission, ciphertext })}\n`);
  return [201, 'Thank you!'];
}

async function answer(request, response) {
  if (request.method === 'POST' && request.url === '/messages') {
    const [status, body] = await receive(request).catch(() => [400, 'The message cannot be read.']);
    return response.writeHead(status).end(body);
  }
  if (request.url !== '/') return response.writeHead(404).end();
  return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
}

const server = createServer((request, response) => void answer(request, response));
server.on('error', ({ code }) => refusePort(`${PORT}: ${code}`));
server.listen(Number(PORT), () => console.log(`The form is at http://localhost:${PORT}`));

function refusePort(got) {
  fail(`PORT must be a free port (got ${got}): set PORT to another port`);
}
