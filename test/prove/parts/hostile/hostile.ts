import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Endpoint, endpoints, limits } from '@eaas/protocol/wire';
import { newDek } from '@eaas/test-kit/faults/load';
import type { BytesRequest, Received } from '../../machine/bytes.ts';
import { type Part, scaled, type Trial } from '../../trial.ts';
import { Attempts } from './attempts.ts';
import { junk } from './junk.ts';
import { largestContexts, largeWorld, type World } from './world.ts';

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

/** Each field of a body as a text that fills the body, alone and in a list: a check must refuse it before it reads it. */
function longFields({ body, item }: Endpoint): [what: string, body: Buffer][] {
  const text = 'a'.repeat(limits.body - 100);
  return Object.keys((item ?? body)?.shape ?? {}).flatMap((name) =>
    [text, [text]].map((value): [string, Buffer] => {
      const fields = { [name]: value };
      return [`a long ${name}`, Buffer.from(JSON.stringify(item ? { items: [fields] } : fields))];
    }),
  );
}

const junkBodies = hostileTrial(
  'junk',
  'bodies of junk, as large as a body may be, to every route that takes one, and each of its fields as large',
  async (attempts, world) => {
    let sent = 0;
    const bodies = Object.entries(junk).map(([what, make]) => [what, make(limits.body)] as const);
    for (const [route, endpoint] of Object.entries<Endpoint>(endpoints)) {
      if (!endpoint.body) continue;
      const [method = '', template = ''] = route.split(' ');
      const path = template.replace(/:\w+/, world.plain);
      for (const [what, body] of [...bodies, ...longFields(endpoint)]) {
        const request = { method, path, token: world.tenant.token, body };
        // Each item of a batch can fail separately, so the status of the whole batch is 200.
        const expected = (answer: Received): boolean =>
          isRefused(answer) || (endpoint.item !== undefined && answer.status === 200);
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
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body.subarray(0, -1));
  await once(socket, 'connect');
  return socket;
}

const standingBodies = hostileTrial(
  'bodies',
  `${standing} bodies of a tenant that stand still before their last byte, and its other calls beside them`,
  async (attempts, { server, tenant: { token }, plain }) => {
    const path = `/v1/keys/${plain}/wrap`;
    const body = Buffer.from(JSON.stringify({ dek: newDek(), context: largestContexts.names }));
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
  about: 'bodies of junk, and bodies that stand still, keep the event loop for 50 ms at most',
  trials: [junkBodies, standingBodies],
};
