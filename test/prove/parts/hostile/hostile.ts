import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { endpoints, limits } from '@eaas/protocol/wire';
import { newDek } from '@eaas/test-kit/faults/load';
import type { BytesRequest, Received } from '../../machine/bytes.ts';
import { type Part, scaled, type Trial } from '../../trial.ts';
import { Attempts } from './attempts.ts';
import { illegal } from './illegal.ts';
import { junk } from './junk.ts';
import { largest } from './largest.ts';
import { largeWorld, type World } from './world.ts';

function hostileTrial(
  name: string,
  about: string,
  send: (attempts: Attempts, world: World) => Promise<number>,
): Trial {
  return {
    name,
    about,
    limit: 900,
    async run(findings) {
      const world = await largeWorld();
      const attempts = new Attempts(findings, world);
      findings.try('request', await send(attempts, world));
      await attempts.judge();
    },
  };
}

const isRefused = ({ status }: Received): boolean => status >= 400 && status < 500;

const legal = hostileTrial(
  'legal',
  'the largest legal inputs of every route, on a tenant with as much of everything as a tenant may have',
  async (attempts, world) => {
    let sent = 0;
    for (const [route, calls] of Object.entries(largest)) {
      const [method = ''] = route.split(' ');
      for (const { what, path, body } of await attempts.prepare(route, () => calls(world))) {
        const bytes = body && { body: Buffer.from(JSON.stringify(body)) };
        const request = { method, path, token: world.tenant.token, ...bytes };
        // 409 is correct too: a key of this trial already has the maximum number of versions, so it cannot be rotated.
        // The server keeps no public log, so it has no proofs.
        const hasNone = route === 'GET /v1/audit/proof';
        const expected = ({ status }: Received): boolean =>
          status < 300 || status === 409 || (hasNone && status === 404);
        await attempts.make({ what: `${route} ${what}`, request, expected });
        sent++;
      }
    }
    return sent;
  },
);

const broken = hostileTrial(
  'illegal',
  'well-formed bodies and addresses as large as they may be that break a limit',
  async (attempts, world) => {
    const calls = illegal(world);
    for (const { what, method, path, body, batch } of calls) {
      const bytes = body && { body: Buffer.from(JSON.stringify(body)) };
      const request = { method, path, token: world.tenant.token, ...bytes };
      const expected = (answer: Received): boolean =>
        isRefused(answer) || (answer.status === 200 && (batch === true || method === 'GET'));
      await attempts.make({ what, request, expected });
    }
    return calls.length;
  },
);

const junkBodies = hostileTrial(
  'junk',
  'bodies of junk, as large as a body may be, to every route that takes one',
  async (attempts, world) => {
    let sent = 0;
    const bodies = new Map<string, Buffer>();
    const routes = Object.entries(endpoints).filter(([, endpoint]) => 'body' in endpoint);
    for (const [route] of routes) {
      const [method = '', template = ''] = route.split(' ');
      const isBatch = template.startsWith('/v1/batch/');
      const path = template.replace(/:\w+/, world.plain);
      for (const [what, make] of Object.entries(junk)) {
        const body = bodies.get(what) ?? make(limits.body);
        bodies.set(what, body);
        const request = { method, path, token: world.tenant.token, body };
        // Each item of a batch can fail separately, so the status of the whole batch is 200.
        const expected = (answer: Received): boolean =>
          isRefused(answer) || (isBatch && answer.status === 200);
        await attempts.make({ what: `${route} ${what}`, request, expected });
        sent++;
      }
    }
    return sent;
  },
);

/** More than a tenant may have of a replica at once. */
const standing = 200;

/** A client that sends all of its body but the last byte, and then stands still. */
async function standStill(port: number, { path, token, body }: BytesRequest): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body?.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body?.subarray(0, -1) ?? '');
  await once(socket, 'connect');
  return socket;
}

const standingBodies = hostileTrial(
  'bodies',
  `${standing} bodies of a tenant that stand still before their last byte, and its other calls beside them`,
  async (attempts, { server, tenant: { token }, plain }) => {
    const path = `/v1/keys/${plain}/wrap`;
    const body = Buffer.from(JSON.stringify({ dek: newDek(), context: { n: 'x'.repeat(4_000) } }));
    const request = { method: 'POST', path, token, body };
    const sockets = await Promise.all(
      Array.from({ length: standing }, () => standStill(server.port, request)),
    );
    const expected = ({ status }: Received): boolean => status === 200;
    for (let nth = 0; nth < scaled(50); nth++) await attempts.make({ what: 'wrap', request, expected });
    for (const socket of sockets) socket.destroy();
    return standing + scaled(50);
  },
);

export const hostile: Part = {
  name: 'hostile',
  about: 'the largest legal and illegal inputs keep the event loop for 50 ms at most',
  trials: [junkBodies, broken, legal, standingBodies],
};
