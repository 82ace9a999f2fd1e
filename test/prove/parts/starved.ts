// Causes that a seed draws keep one server from its work. When each is gone, every tenant must work again soon, by itself.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmod, copyFile, readFile, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { call, type Place } from '@eaas/test-kit/faults/client';
import { Load, newDek } from '@eaas/test-kit/faults/load';
import { connectTo, newKey, operate } from '@eaas/test-kit/faults/place';
import type { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { chanceOf } from '../../../packages/service/test/simulation/plan.ts';
import { startPostgres } from '../machine/postgres.ts';
import { startServer } from '../machine/server.ts';
import { asked, chosenSeed, type Findings, type Trial } from '../trial.ts';
import { judgeLog } from './under-load.ts';

const patience = 10_000;
const rounds = asked ?? 5;

interface Bench {
  readonly server: Place;
  readonly token: string;
  readonly database: OwnPostgres;
  readonly sql: postgres.Sql;
  readonly library: Awaited<ReturnType<typeof ownLibrary>>;
  /** For how long a cause lasts, in milliseconds. */
  readonly lasts: number;
  readonly rest: () => Promise<unknown>;
}

/** Gives the database its own copy of a file of PostgreSQL that appends need. A session that has loaded it keeps it. */
async function ownLibrary(findings: Findings, sql: postgres.Sql) {
  const directory = await findings.newDirectory();
  await chmod(directory, 0o755);
  const path = `${directory}/plpgsql.so`;
  const [row] = await sql<{ setting: string }[]>`select setting from pg_config where name = 'PKGLIBDIR'`;
  // As an upgrade does it: whoever writes in the file crashes the sessions that have loaded it.
  const put = async (): Promise<void> => {
    await copyFile(`${row?.setting}/plpgsql.so`, `${path}.new`);
    await rename(`${path}.new`, path);
  };
  await put();
  await sql`update pg_proc set probin = ${path} where probin = '$libdir/plpgsql'`;
  return { path, put };
}

/** Ends idle sessions of the server but those `kept`, which were used longest ago, while no new one can load the file. */
async function takeLibrary({ sql, library, lasts, rest }: Bench, kept: number): Promise<void> {
  await rest();
  await rm(library.path);
  const all = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where usename = 'eaas_server' order by state_change`;
  const maps = await Promise.all(all.map(({ pid }) => readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '')));
  const left = all.filter((_, nth) => maps[nth]?.includes(library.path)).map(({ pid }) => pid);
  if (left.length < 2) throw new Error(`only ${left.length} sessions have loaded the file`);
  await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where usename = 'eaas_server' and state = 'idle' and pid <> all (${left.slice(0, kept)}::int[])`;
  // The server notices it meanwhile. It would leave all its sessions if a call or a job met one that ends.
  await sleep(lasts);
}

async function keepBusy({ lasts }: Bench): Promise<void> {
  const script = `const end = Date.now() + ${lasts}; while (Date.now() < end);`;
  const processes = Array.from({ length: 24 }, () => spawn(process.execPath, ['-e', script]));
  await Promise.all(processes.map((each) => once(each, 'exit')));
}

/** Half of the connections send headers byte by byte, the others a body. */
async function sendSlowly({ server: { port }, token, lasts }: Bench): Promise<void> {
  const head = `POST /v1/encrypt HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900`;
  const sockets = Array.from({ length: 400 }, (_, nth) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(`${head}\r\nAuthorization: Bearer ${token}\r\n${nth % 2 === 0 ? '\r\n' : 'More: '}`);
    return socket;
  });
  for (const end = performance.now() + lasts; performance.now() < end; await sleep(100)) {
    for (const socket of sockets) socket.write(' ');
  }
  for (const socket of sockets) socket.destroy();
}

const stall = ({ sql, lasts }: Bench, statement: string): Promise<unknown> =>
  sql.begin((tx) => tx.unsafe(statement).then(() => sleep(lasts)));

const lockHeads = 'select from eaas.audit_heads for update';

/** They resolve when the cause is gone. */
const causes: Readonly<Record<string, (bench: Bench) => Promise<unknown>>> = {
  '24 busy processes': keepBusy,
  '24 busy processes, lock stalled': (bench) => Promise.all([keepBusy(bench), stall(bench, lockHeads)]),
  '400 slow connections': sendSlowly,
  'append stalled': (bench) => stall(bench, 'lock table eaas.audit_entries in share mode'),
  'lock stalled': (bench) => stall(bench, lockHeads),
  'read stalled': (bench) => stall(bench, 'lock table eaas.audit_heads in access exclusive mode'),
  async 'backends stopped'({ database, lasts }) {
    await database.freeze('backends');
    await sleep(lasts);
    database.thaw();
  },
  // The two can do the work of all, so what is gone is the end of the others.
  'file removed, all sessions but two ended': (bench) => takeLibrary(bench, 2),
  'file removed, all sessions ended, file put back': (bench) => takeLibrary(bench, 0).then(bench.library.put),
};

/** Sends a call of each kind, again until all succeed. Returns why not, if they do not in time. */
async function whyIdle(server: Place, token: string, keyId: string, since: number): Promise<string> {
  const isLate = (): boolean => performance.now() - since > patience;
  const post = (path: string, body: object) => call(server, token, 'POST', `/v1/keys/${keyId}/${path}`, body);
  for (;;) {
    try {
      const { wrapped_key } = await post('wrap', { dek: newDek() });
      await post('unwrap', { wrapped_key });
      await call(server, token, 'GET', '/v1/audit');
      await post('rotate', {});
      return isLate() ? 'late' : '';
    } catch (error) {
      if (isLate()) return String(error);
      await sleep(50);
    }
  }
}

export const starved: Trial = {
  name: 'starved',
  about: 'causes that a seed draws keep a server from its work; a number says how many rounds',
  limit: 300 + 60 * rounds,
  unavailable: async () =>
    process.platform === 'linux' ? undefined : 'it reads what Linux says of processes',
  async run(findings) {
    const seed = chosenSeed ?? randomInt(2 ** 31);
    console.log(`npm run prove -- faults:starved ${rounds} --seed=${seed}`);
    const chance = chanceOf(seed);
    const database = await startPostgres(findings);
    const sql = connectTo(database);
    findings.defer(() => sql.end({ timeout: 1 }));
    const library = await ownLibrary(findings, sql);
    const operator = await operate(database.url);
    const tenants = await Promise.all(Array.from({ length: 8 }, () => operator.newTenant()));
    await operator.close();
    const server = await startServer(findings, operator.env);
    const keyIds = await Promise.all(tenants.map(({ token }) => newKey(server, token)));
    const loads: Load[][] = [];
    const left: string[] = [];
    for (let round = 1; round <= rounds; round++) {
      if (left.length === 0) left.push(...Object.keys(causes));
      const [what = ''] = left.splice(chance.below(left.length), 1);
      const options = { places: [server], workers: 1, rest: 50, changes: true };
      const load = tenants.map(({ token }, nth) => new Load({ ...options, token, keyId: keyIds[nth] ?? '' }));
      const rest = () => Promise.all(load.map((each) => each.stop()));
      findings.defer(rest);
      loads.push(load);
      await sleep(1_000);
      const lasts = 1_000 + chance.below(6_000);
      await causes[what]?.({ server, token: tenants[0]?.token ?? '', database, sql, library, lasts, rest });
      const since = performance.now();
      const all = tenants.map(({ token }, nth) => whyIdle(server, token, keyIds[nth] ?? '', since));
      const late = (await Promise.all(all)).filter(Boolean);
      const waited = performance.now() - since;
      console.log(`round ${round}: ${what}, ${lasts} ms: ${Math.round(waited)} ms ${late[0] ?? ''}`);
      findings.try(what);
      findings.longest(`after ${what}`, waited);
      findings.check(`every tenant works within ${patience} ms`, late.length === 0, `${what}: ${late[0]}`);
      await library.put();
      await rest();
    }
    for (const [nth, tenant] of tenants.entries()) {
      const sent = loads.flatMap((load) => load[nth]?.sent ?? []);
      await judgeLog(findings, server, tenant, sent);
    }
  },
};
