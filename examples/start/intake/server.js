import { appendFile, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { isEncrypted } from '@eaas/sdk/fields';

const files = { '/': ['index.html', 'text/html'], '/form.js': ['bundle.js', 'text/javascript'] };

async function receive(request) {
  if (!(Number(request.headers['content-length']) <= 32_768)) return 413;
  const { submission, ciphertext } = JSON.parse(await text(request));
  if (!/^[\da-f-]{36}$/.test(submission) || !isEncrypted(ciphertext)) return 400;
  await appendFile('submissions.jsonl', `${JSON.stringify({ submission, ciphertext })}\n`);
  return 201;
}

createServer(async (request, response) => {
  if (request.method === 'POST') return response.writeHead(await receive(request).catch(() => 400)).end();
  const [file, type] = files[request.url] ?? [];
  if (file === undefined) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': type }).end(await readFile(file));
}).listen(3000, () => console.log('Open http://localhost:3000'));
