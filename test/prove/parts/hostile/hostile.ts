import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Endpoint, endpoints, limits } from '@eaas/protocol/wire';
import { type Answer, send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { median } from '@eaas/test-kit/statistics';
import { judgeServer } from '../../machine/server.ts';
import { type Findings, type Part, scaled, type Trial } from '../../trial.ts';
import { junk } from './junk.ts';
import { largestContexts, largeWorld, type World } from './world.ts';

const longestMilliseconds = 50;

interface Attempt {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly expected: (answer: Answer) => boolean;
}

/** Sends what may keep the event loop for 50 ms at most. */
type Make = (attempt: Attempt) => Promise<void>;

function hostileTrial(
  name: string,
  about: string,
  sendAll: (make: Make, world: World) => Promise<number>,
): Trial {
  return {
    name,
    about,
    limit: 900,
    async run(findings) {
      const world = await largeWorld();
      const sections: (readonly [milliseconds: number, what: string])[] = [];
      const make: Make = async (attempt) => {
        const section = await longestSection(findings, world, attempt);
        sections.push([section, `${attempt.what} ${Math.round(section)} ms`]);
      };
      findings.try('request', await sendAll(make, world));
      const slowest = sections.sort(([a], [b]) => b - a).slice(0, 5);
      findings.figure('longest sections', slowest.map(([, what]) => what).join('; '));
      await judgeServer(findings, world.server);
    },
  };
}

/** Sends a request, and returns how long it kept the event loop, in milliseconds. */
async function longestSection(
  findings: Findings,
  { server, tenant: { token } }: World,
  { what, method, path, body, expected }: Attempt,
): Promise<number> {
  const sections: number[] = [];
  // Repeats a slow attempt, because garbage collection can slow down one attempt.
  while (sections.length === 0 || (sections.length < 3 && (sections[0] ?? 0) > longestMilliseconds)) {
    await server.longestSection();
    const answer = await send(server, token, method, path, body);
    sections.push(await server.longestSection());
    findings.answer({ [answer.status]: 1 });
    const found = `${what}: ${answer.status} ${answer.code}`;
    findings.check('every response has the expected status, and none is 5xx', expected(answer), found);
  }
  const section = median(sections);
  findings.check(
    `no request blocks the event loop for more than ${longestMilliseconds} ms`,
    section <= longestMilliseconds,
    `${what}: ${Math.round(section)} ms`,
  );
  return section;
}

const isRefused = ({ status }: Answer): boolean => status >= 400 && status < 500;

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
  async (make, world) => {
    let sent = 0;
    const bodies = Object.entries(junk).map(([what, make]) => [what, make(limits.body)] as const);
    for (const [route, endpoint] of Object.entries<Endpoint>(endpoints)) {
      if (!endpoint.body) continue;
      const [method = '', template = ''] = route.split(' ');
      const path = template.replace(/:\w+/, world.plain);
      for (const [what, body] of [...bodies, ...longFields(endpoint)]) {
        // Each item of a batch can fail separately, so the status of the whole batch is 200.
        const expected = (answer: Answer): boolean =>
          isRefused(answer) || (endpoint.item !== undefined && answer.status === 200);
        await make({ what: `${route} ${what}`, method, path, body, expected });
        sent++;
      }
    }
    return sent;
  },
);

/** More than a tenant may have of a replica at once. */
const standing = 200;

/** A client that sends all of its body but the last byte, and then stands still. */
async function standStill(port: number, path: string, token: string, body: Buffer): Promise<Socket> {
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
  async (make, { server, tenant: { token }, plain }) => {
    const path = `/v1/keys/${plain}/wrap`;
    const body = Buffer.from(JSON.stringify({ dek: newDek(), context: largestContexts.names }));
    const stand = () => standStill(server.port, path, token, body);
    const sockets = await Promise.all(Array.from({ length: standing }, stand));
    const expected = ({ status }: Answer): boolean => status === 200;
    for (let nth = 0; nth < scaled(50); nth++) {
      await make({ what: 'wrap', method: 'POST', path, body, expected });
    }
    for (const socket of sockets) socket.destroy();
    return standing + scaled(50);
  },
);

export const hostile: Part = {
  name: 'hostile',
  about: 'bodies of junk, and bodies that stand still, keep the event loop for 50 ms at most',
  trials: [junkBodies, standingBodies],
};
