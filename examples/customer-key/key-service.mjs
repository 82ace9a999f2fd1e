// A stub of a customer's key service. It answers with a MAC of what it is asked, and its master never leaves it.
// A real one has the master in a KMS, authenticates the app, and has a policy and a log.
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

export async function startKeyService() {
  const master = randomBytes(32);
  const service = { questions: 0, saysNo: false };
  const server = createServer((request, response) => {
    service.questions++;
    if (service.saysNo) response.writeHead(403).end();
    else response.end(createHmac('sha256', master).update(request.url).digest());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return Object.assign(service, { url, close: () => server.close() });
}
