import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { selfSigned } from '@eaas/test-kit/certificate';
import { newDirectory } from '@eaas/test-kit/directory';
import { closing } from '@eaas/test-kit/closing';
import { eaas } from '@eaas/test-kit/program';
import { testDatabase } from '@eaas/test-kit/database';
import { childrenOf, memoryOf } from '@eaas/test-kit/processes';
import { call, send } from '@eaas/test-kit/faults/client';
import { Load, newDek, succeeded, unrecorded } from '@eaas/test-kit/faults/load';
import {
  connectTo,
  newKey,
  operate,
  readLog,
  startReplica,
  type Tenant,
  verify,
} from '@eaas/test-kit/faults/place';

const database = await testDatabase();
const operator = await closing(operate(database.url), (it) => it.close());
const server = await closing(
  startReplica({ ...operator.env, EAAS_WORKERS: '2', EAAS_LOG_LEVEL: 'info' }),
  (it) => it.kill(),
);

interface Resident extends Tenant {
  readonly keyId: string;
}

async function newResident(): Promise<Resident> {
  const tenant = await operator.newTenant();
  return { ...tenant, keyId: await newKey(server, tenant.token) };
}

const wrapOf = ({ token, keyId }: Resident, closes: boolean, n = '1'): string => {
  const body = JSON.stringify({ dek: newDek(), context: { n } });
  const connection = closes ? 'Connection: close\r\n' : '';
  return (
    `POST /v1/keys/${keyId}/wrap HTTP/1.1\r\nHost: x\r\n${connection}Authorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
};

interface Conversation {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<void>;
}

function converse({ port } = server): Conversation {
  let text = '';
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setNoDelay();
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.on('error', () => {}).on('end', () => socket.end());
  return {
    socket,
    received: () => text,
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
  };
}

async function exchange(...parts: readonly (string | Buffer | number)[]): Promise<string> {
  const { socket, received, closed } = converse();
  for (const part of parts) {
    if (typeof part === 'number') await sleep(part);
    else socket.write(part);
  }
  await closed;
  return received();
}

function workersOf({ tenantId }: Tenant): (string | undefined)[] {
  const lines = server.log().split('\n');
  const wraps = lines.filter((line) => line.includes(tenantId) && line.includes('/wrap'));
  return wraps.map((line) => /"worker":(\d)/.exec(line)?.[1]);
}

/** Waits, because the server writes a log line only after the response. */
async function workerAfter(tenant: Tenant, wraps: number): Promise<string | undefined> {
  await expect.poll(() => workersOf(tenant).length).toBe(wraps);
  return workersOf(tenant).at(-1);
}

async function wrapAlone(tenant: Resident): Promise<string | undefined> {
  const before = workersOf(tenant).length;
  expect(await exchange(wrapOf(tenant, true))).toMatch(/^HTTP\/1.1 200 /);
  return workerAfter(tenant, before + 1);
}

async function metricsOf(name: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
  const samples = text.matchAll(new RegExp(`^${name}\\{worker="(\\d)"\\} (\\d+)$`, 'gm'));
  return new Map(Array.from(samples, ([, worker = '', value]) => [worker, Number(value)]));
}

const secondKeyOf = async ({ token }: Tenant): Promise<string> => {
  const fields = { name: 'second', permissions: ['encrypt'] };
  return (await call<{ api_key: string }>(server, token, 'POST', '/v1/api-keys', fields)).api_key;
};

test('each tenant has one worker, and each of two workers has half of the tenants', async () => {
  const residents: Resident[] = [];
  for (let nth = 0; nth < 8; nth++) residents.push(await newResident());
  const first: (string | undefined)[] = [];
  for (const resident of residents) first.push(await wrapAlone(resident));
  expect(first.filter((worker) => worker === '1')).toHaveLength(4);
  expect(first.filter((worker) => worker === '2')).toHaveLength(4);
  const again = [];
  for (const resident of residents.toReversed()) again.unshift(await wrapAlone(resident));
  expect(again).toEqual(first);
});

test('a client with a second API key reconnects until the worker of the tenant serves it', async () => {
  const residents = [await newResident(), await newResident()];
  for (const resident of residents) {
    const worker = await wrapAlone(resident);
    const second = { ...resident, token: await secondKeyOf(resident) };
    // A worker that receives a request of another worker's tenant closes the connection after the response.
    const { socket, received, closed } = converse();
    for (let count = 1; count <= 20 && !/connection: close/i.test(received()); count++) {
      socket.write(wrapOf(second, false));
      if ((await workerAfter(resident, count + 1)) === worker) socket.end();
    }
    await closed;
    expect(await wrapAlone(second)).toBe(worker);
  }
});

test('requests of several tenants on one connection get correct responses', async () => {
  const [a, b] = [await newResident(), await newResident()];
  for (const resident of [a, b]) await wrapAlone(resident);
  const { socket, received, closed } = converse();
  socket.write([a, b, a, b].map((tenant) => wrapOf(tenant, false)).join('') + wrapOf(a, true));
  await closed;
  expect(received().match(/HTTP\/1.1 200 OK/g)).toHaveLength(5);
  expect((await readLog(server, b)).filter(({ action }) => action === 'key.wrap')).toHaveLength(3);
  expect(await verify(server, b)).toMatchObject({ valid: true });
});

test('metrics and readiness include all workers, whichever worker responds', async () => {
  for (let nth = 0; nth < 3; nth++) {
    const entries = await metricsOf('eaas_audit_entries_total');
    expect(Array.from(entries.keys())).toEqual(['1', '2']);
    expect(Math.min(...entries.values())).toBeGreaterThan(0);
    expect(await (await fetch(`${server.baseUrl}/readyz`)).json()).toEqual({ status: 'ready' });
  }
});

test('the server handles a request whose head arrives slowly, in pieces, or in one packet with other requests', async () => {
  const tenant = await newResident();
  const request = wrapOf(tenant, true);
  const inToken = request.indexOf(tenant.token) + 20;
  const inHead = request.indexOf('\r\n\r\n') + 2;
  const answers = await Promise.all([
    exchange(request.slice(0, inToken), 100, request.slice(inToken)),
    exchange(request.slice(0, inHead), 100, request.slice(inHead)),
    exchange(
      ...(request.slice(0, inHead).match(/[^]{1,4}/g) ?? []).flatMap((piece) => [piece, 1]),
      request.slice(inHead),
    ),
    exchange(request.slice(0, inToken), 1_500, request.slice(inToken)),
    exchange(wrapOf(tenant, false) + wrapOf(tenant, false) + request),
  ]);
  expect(answers.map((text) => text.match(/HTTP\/1.1 200 OK/g)?.length ?? text)).toEqual([1, 1, 1, 1, 3]);
});

test('no byte of a body is lost when its connection moves to another process', async () => {
  const tenant = await newResident();
  const context = { text: 'x'.repeat(1_000) };
  const items = Array.from({ length: 50 }, () => ({ key_id: tenant.keyId, dek: newDek(), context }));
  const body = JSON.stringify({ items });
  const head =
    `POST /v1/batch/wrap HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${tenant.token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, nth) => {
      const cut = head.length - 40 + 4 * nth;
      return exchange((head + body).slice(0, cut), nth % 3, (head + body).slice(cut));
    }),
  );
  expect(answers.map((text) => text.match(/"wrapped_key"/g)?.length)).toEqual(answers.map(() => 50));
});

test('while uploads exceed the memory limit, the server does not read more of them', async () => {
  const { token } = await newResident();
  const body = Buffer.alloc(2 * 1024 * 1024, ' ');
  const head =
    `POST /v1/batch/wrap HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const answers = await Promise.all(Array.from({ length: 256 }, () => exchange(head, body)));
  expect(answers.filter((text) => !/^HTTP\/1.1 (400|503) /.test(text))).toEqual([]);
  for (const worker of await childrenOf(server.pid)) expect(await memoryOf(worker, 'peak')).toBeLessThan(300);
});

test('clients that stop sending in the middle of a request are disconnected', async () => {
  const tenant = await newResident();
  const request = wrapOf(tenant, false);
  for (const cut of [3, request.indexOf(tenant.token) + 20, request.indexOf('\r\n\r\n') + 2]) {
    const { socket, received, closed } = converse();
    socket.end(request.slice(0, cut));
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 400 /);
  }
});

test.each<[string, number, (string | Buffer | number)[]]>([
  ['garbage', 400, ['hello\r\n\r\n']],
  ['a TLS handshake', 400, [Buffer.from([0x16, 3, 1, 2, 0, 1])]],
  ['headers that are too large', 431, [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17 * 1024)}`]],
  ['headers that never end', 408, ['GET / HTTP/1.1\r\nHost: x\r\n']],
  ['nothing', 408, []],
  [
    'an unknown API key',
    401,
    ['GET /v1/keys HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer no\r\n\r\n'],
  ],
])('a connection with %s gets %d', async (_, status, parts) => {
  expect(await exchange(...parts)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test('thousands of silent connections do not keep other clients from being served', async () => {
  const tenant = await newResident();
  const silent = await Promise.all(
    Array.from({ length: 2_500 }, async () => {
      const { socket } = converse();
      await once(socket, 'connect');
      return socket;
    }),
  );
  const worker = await wrapAlone(tenant);
  for (const socket of silent) socket.destroy();
  expect(await wrapAlone(tenant)).toBe(worker);
});

const getOf = (path: string, { token }: Tenant): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`;

test('while a worker hangs or takes over many connections, the other workers still serve requests, /metrics and /readyz', async () => {
  const [a, b] = await residentsOfBothWorkers();
  const pids = (await childrenOf(server.pid)).toSorted((one, other) => one - other);
  const hung = pids[Number(await wrapAlone(a)) - 1] ?? 0;
  const waiting: Conversation[] = [];
  process.kill(hung, 'SIGSTOP');
  try {
    for (let nth = 0; nth < 3_000; nth++) waiting.push(converse());
    for (const { socket } of waiting) socket.write(getOf('/v1/keys', a));
    await wrapAlone(b);
    const [readiness, metrics] = await Promise.all(
      ['/readyz', '/metrics'].map((path) => exchange(getOf(path, b))),
    );
    expect(readiness).toContain('the check failed');
    expect(metrics).toMatch(/^eaas_ready\{worker="\d"\} 1$/m);
    expect(metrics).toMatch(/^eaas_worker_restarts_total 0$/m);
  } finally {
    process.kill(hung, 'SIGCONT');
  }
  expect(await exchange(getOf('/readyz', b))).toMatch(/^HTTP\/1.1 200 /);
  for (const { socket } of waiting) socket.destroy();
  await wrapAlone(a);
});

async function residentsOfBothWorkers(): Promise<[Resident, Resident]> {
  const a = await newResident();
  const worker = await wrapAlone(a);
  for (;;) {
    const b = await newResident();
    if ((await wrapAlone(b)) !== worker) return [a, b];
  }
}

test('if a worker reaches the limit of open files, some connections are closed, and the server continues to serve', async () => {
  const limited = ['bash', '-c', 'ulimit -n 300 && exec "$@"', 'bash', ...eaas];
  const other = await startReplica({ ...operator.env, EAAS_WORKERS: '2' }, limited);
  const tenant = await newResident();
  const ask = (closes: boolean): Conversation => {
    const conversation = converse(other);
    conversation.socket.write(wrapOf(tenant, closes));
    return conversation;
  };
  const kept = Array.from({ length: 262 }, () => ask(false));
  await expect.poll(() => kept.filter(({ received }) => received()).length).toBeGreaterThan(200);
  let [served, lost] = [0, 0];
  const repeat = async (): Promise<void> => {
    while ((served < 1_000 || lost < 100) && !other.end()) {
      const { received, closed } = ask(true);
      await closed;
      if (received()) served++;
      else lost++;
    }
  };
  await Promise.all(Array.from({ length: 60 }, repeat));
  for (const { socket } of kept) socket.destroy();
  await other.stop();
  expect(await other.ended).toEqual({ code: 0, signal: null });
});

test('if a worker crashes under load, every successful request has its audit entry, and the worker restarts', async () => {
  const residents = await Promise.all(Array.from({ length: 4 }, newResident));
  const loads = residents.map(({ token, keyId }) => new Load({ places: [server], token, keyId, workers: 4 }));
  /** Waits for more than ten further successful requests of each tenant. */
  const allServed = async (): Promise<void> => {
    const since = performance.now();
    const fewest = (): number =>
      Math.min(...loads.map(({ sent }) => sent.filter((one) => succeeded(one) && one.sentAt > since).length));
    await expect.poll(fewest).toBeGreaterThan(10);
  };
  for (let nth = 0; nth < 3; nth++) {
    await allServed();
    const [victim = 0] = await childrenOf(server.pid);
    process.kill(victim, 'SIGKILL');
    const restarts = () => server.log().match(/a worker serves again/g)?.length;
    await expect.poll(restarts).toBe(nth + 1);
  }
  await allServed();
  const servedAt = performance.now();
  await allServed();
  for (const [nth, load] of loads.entries()) {
    const sent = await load.stop();
    const resident = residents[nth];
    if (!resident) throw new Error('no resident');
    const after = sent.filter(({ sentAt }) => sentAt > servedAt);
    expect(after.filter((answer) => !succeeded(answer))).toEqual([]);
    expect(unrecorded(sent, await readLog(server, resident))).toEqual([]);
    expect(await verify(server, resident)).toMatchObject({ valid: true });
  }
  expect(server.end()).toBeUndefined();
  const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
  expect(text).toMatch(/^eaas_worker_restarts_total 3$/m);
  expect(await childrenOf(server.pid)).toHaveLength(2);
});

test('a restarted worker serves tenants again', async () => {
  const residents = await Promise.all(Array.from({ length: 4 }, newResident));
  const workers: (string | undefined)[] = [];
  for (const resident of residents) workers.push(await wrapAlone(resident));
  expect(new Set(workers)).toEqual(new Set(['1', '2']));
});

test('if a worker cannot start, the reason is printed once and the exit code is 3', async () => {
  const [, reason = ''] = await startReplica({
    ...operator.env,
    EAAS_WORKERS: '2',
    EAAS_TLS_CERT_FILE: 'absent.pem',
    EAAS_TLS_KEY_FILE: 'absent.pem',
  }).then(
    () => ['started'],
    (error: unknown) => ['failed', String(error)],
  );
  expect(reason.match(/EAAS_TLS_CERT_FILE and EAAS_TLS_KEY_FILE cannot be used/g)).toHaveLength(1);
});

test('a worker that hangs is killed and started again', async () => {
  const restarts = (): number => server.log().match(/a worker serves again/g)?.length ?? 0;
  const before = restarts();
  const [hung = 0] = await childrenOf(server.pid);
  process.kill(hung, 'SIGSTOP');
  await expect.poll(restarts).toBe(before + 1);
  expect(await childrenOf(server.pid)).not.toContain(hung);
  expect(server.log()).toContain('a worker does not respond and will be killed');
});

test('every worker can resume a TLS session, and a connection that the client ends before the handshake is closed at once', async () => {
  const directory = await newDirectory();
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const { certificate: ca, ...pair } = selfSigned();
  await writeFile(cert, ca);
  await writeFile(key, pair.key);
  const files = { EAAS_TLS_CERT_FILE: cert, EAAS_TLS_KEY_FILE: key };
  const other = await startReplica({ ...operator.env, ...files, EAAS_WORKERS: '2' });
  const checkServerIdentity = (): undefined => undefined;
  let session: Buffer | undefined;
  const reused: boolean[] = [];
  for (let nth = 0; nth < 4; nth++) {
    const socket = connectTls({ port: other.port, host: '127.0.0.1', ca, session, checkServerIdentity });
    socket.on('session', (ticket) => (session = ticket)).resume();
    await once(socket, 'secureConnect');
    reused.push(socket.isSessionReused());
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
  }
  expect(reused).toEqual([false, true, true, true]);
  // The client `silent` sends no handshake, so the server keeps its connection open for 5 s. The client `ended` closes
  // its side, so the server must close that connection earlier.
  const silent = converse(other);
  await once(silent.socket, 'connect');
  const ended = converse(other);
  ended.socket.end();
  await ended.closed;
  expect(silent.socket.closed).toBe(false);
  await other.stop();
});

test('if the main process is killed, the workers end', async () => {
  const other = await startReplica({ ...operator.env, EAAS_WORKERS: '2' });
  const workers = await childrenOf(other.pid);
  expect(workers).toHaveLength(2);
  await other.kill();
  await expect.poll(() => commandLinesOf(workers)).toEqual(['', '']);
});

/** A process that has ended has an empty command line until its parent collects its exit code. */
async function commandLinesOf(pids: readonly number[]): Promise<string[]> {
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}

test('after SIGTERM to all processes, running requests are finished and the exit code is 0', async () => {
  const tenant = await newResident();
  const sql = connectTo(database);
  let release = (): void => {};
  let held: Promise<unknown> | undefined;
  await new Promise<void>((locked) => {
    held = sql.begin(async (tx) => {
      await tx`select from eaas.audit_heads where tenant_id = ${tenant.tenantId} for update`;
      locked();
      await new Promise<void>((resolve) => (release = resolve));
    });
  });
  const running = Array.from({ length: 20 }, () =>
    send(server, tenant.token, 'POST', `/v1/keys/${tenant.keyId}/wrap`, { dek: newDek() }),
  );
  const waiting = async (): Promise<number> =>
    Array.from((await metricsOf('eaas_audit_waiting_entries')).values()).reduce((sum, each) => sum + each, 0);
  await expect.poll(waiting).toBe(20);
  const idle = converse();
  await once(idle.socket, 'connect');
  for (const pid of await childrenOf(server.pid)) process.kill(pid, 'SIGTERM');
  server.signal('SIGTERM');
  await idle.closed;
  release();
  await held;
  await sql.end();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual(running.map(() => 200));
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.log()).not.toMatch(/"level":"fatal"|UnhandledPromise/);
});
