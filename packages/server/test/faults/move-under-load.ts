import { readConfig } from '@eaas/test-kit/cli';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openService } from '../../src/app/open-service.ts';
import { newRootKey } from '@eaas/test-kit/command-line';
import { eaas, type Environment, launch } from '@eaas/test-kit/program';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { openTerminal, type Terminal } from '@eaas/test-kit/terminal';
import { createDatabase, type PostgresAddress, type TestDatabase } from '@eaas/test-kit/database';
import { reportDuration } from './report.ts';
import { type Resident, settle } from '@eaas/test-kit/world';
import { type Answer, send } from '@eaas/test-kit/faults/client';
import { Load, longest, newDek, type Sent, succeeded, tally, unrecorded } from '@eaas/test-kit/faults/load';
import { type Entry, newKey, readLog, type Replica, startReplica, verify } from '@eaas/test-kit/faults/place';
import { proxyTo } from '@eaas/test-kit/faults/two-upstreams';

const names = ['steady', 'changing'];

export function testMove(
  databaseOf: (folder: string) => Environment | Promise<Environment>,
  address: () => Promise<PostgresAddress> | undefined,
): void {
  let folder: string;
  let place: TestDatabase;
  let source: Environment;
  let target: Environment;
  let former: Replica;
  let later: Replica;
  let upstreams: Awaited<ReturnType<typeof proxyTo>>;
  const loads: { tenant: Resident; keyId: string; load: Load; sent: readonly Sent[]; log: Entry[] }[] = [];
  const readiness: Record<string, Answer> = {};
  let killed = 0;
  let copied: string;
  let moved: string;
  let again: string;
  let verified: string;
  const terminals: Terminal[] = [];
  const failed: string[] = [];
  const page = 'docs/operating/growing.md';
  const commands = blocksOf(read(page), 'sh');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eaas-test-'));
    place = await createDatabase(undefined, address());
    const secret = { EAAS_ROOT_KEY: newRootKey() };
    source = { ...secret, ...(await databaseOf(folder)) };
    target = { ...secret, EAAS_DATABASE_URL: place.url('server') };
    for (const env of [source, secret]) terminals.push(await newTerminal(env));
    former = await startReplica(source);
    await type('target', 'migrate');
    later = await startReplica(target);
    upstreams = await proxyTo([former, later]);
    const { service, close } = await openService(readConfig(source), 'command');
    for (const name of names) {
      const tenant = await settle(service, name);
      const keyId = await newKey(former, tenant.token);
      const { token } = tenant;
      const load = new Load({ places: [upstreams], token, keyId, workers: 2, changes: name === 'changing' });
      loads.push({ tenant, keyId, load, sent: [], log: [] });
    }
    await close();
    await sleep(500);
    copied = await type('source', 'copy');
    readiness['later, before the move'] = await ready(later);
    for (const milliseconds of [500, 900, 1_300]) await killAfter(milliseconds);
    moved = await type('source', 'copy --move');
    readiness['former, after the move'] = await ready(former);
    readiness['later, after the move'] = await ready(later);
    again = await type('source', 'copy --move');
    verified = await type('target', 'audit verify');
    await vi.waitUntil(() => loads.every(({ load }) => load.sent.length > 100), { timeout: 250_000 });
    for (const one of loads) {
      one.sent = await one.load.stop();
      one.log = await readLog(later, one.tenant);
    }
  });

  afterAll(async () => {
    for (const terminal of terminals) await terminal.close();
    await upstreams.close();
    await former.stop();
    await later.kill();
    await place.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  const ready = (replica: Replica): Promise<Answer> => send(replica, '', 'GET', '/readyz');

  async function newTerminal(env: Environment): Promise<Terminal> {
    const terminal = await openTerminal(folder, env);
    await terminal.type(`npx() { shift 2; ${eaas.map((word) => `'${word}'`).join(' ')} "$@"; }`);
    return terminal;
  }

  async function type(where: 'source' | 'target', end: string): Promise<string> {
    const block = commands.find((text) => text.endsWith(`${end}\n`));
    const terminal = terminals[where === 'source' ? 0 : 1];
    if (block === undefined || !terminal)
      throw new Error(`${page} must have a block of commands that ends with ${end} (got none)`);
    const own = block
      .replace(/postgres:\/\/eaas_owner:\S+/, () => place.url('owner'))
      .replace(/postgres:\/\/eaas_server:\S+/, () => place.url('server'));
    const typed = await terminal.type(own);
    failed.push(...typed.failed);
    return typed.output;
  }

  async function killAfter(milliseconds: number): Promise<void> {
    const { child } = launch([...eaas, 'database', 'copy', '--move'], {
      ...source,
      EAAS_COPY_TO_DATABASE_URL: place.url('server'),
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await sleep(milliseconds);
    if (child.kill('SIGKILL')) killed++;
    await ended;
  }

  test('every command of docs/operating/growing.md succeeds', () => {
    expect(failed).toEqual([]);
    expect(commands).toHaveLength(4);
  });

  test('the copy of a running database names each tenant and the next step', () => {
    for (const name of names)
      expect(copied).toMatch(new RegExp(`^${name} \\(.*\\): copied, up to entry \\d+$`, 'm'));
    expect(copied).toContain('Next: `eaas database copy --move`');
  });

  test('a move that was killed is completed by the next run', () => {
    expect(killed).toBeGreaterThan(0);
    for (const name of names) {
      expect(moved).toMatch(new RegExp(`^${name} \\(.*\\): moved`, 'm'));
      expect(again).toMatch(new RegExp(`^${name} \\(.*\\): moved$`, 'm'));
      expect(verified).toMatch(new RegExp(`^${name} \\(.*\\): valid`, 'm'));
    }
    process.stdout.write(moved);
  });

  test('during the copy and the move, every request of a client succeeds', () => {
    for (const { sent } of loads) {
      expect(
        sent
          .filter((one) => !succeeded(one))
          .map(({ status, code, action }) => `${action} ${status} ${code}`),
      ).toEqual([]);
    }
    process.stdout.write(
      `responses to clients: ${JSON.stringify(tally(loads.flatMap(({ sent }) => sent)))}\n`,
    );
    process.stdout.write(`responses of the two servers: ${JSON.stringify(upstreams.statuses)}\n`);
    reportDuration('the longest request', longest(loads.flatMap(({ sent }) => sent)));
  });

  test('the log in the target has the entry of every successful request', () => {
    for (const { sent, log } of loads) expect(unrecorded(sent, log)).toEqual([]);
  });

  test('in the target, the ids of the entries have no gap, and the verification has no findings', async () => {
    for (const { tenant, log } of loads) {
      expect(log.findIndex(({ id }, index) => id !== index + 1)).toBe(-1);
      expect(await verify(later, tenant)).toMatchObject({ valid: true, complete: true, errors: [] });
    }
  });

  test('a replica of the former database refuses requests of a tenant that has moved', async () => {
    for (const { tenant, keyId } of loads) {
      const wrap = await send(former, tenant.token, 'POST', `/v1/keys/${keyId}/wrap`, { dek: newDek() });
      const read = await send(former, tenant.token, 'GET', `/v1/keys/${keyId}`);
      expect([wrap.status, wrap.code, read.status, read.code]).toEqual([
        503,
        'unavailable',
        503,
        'unavailable',
      ]);
    }
  });

  test('only the replica of the database that serves the tenants is ready', () => {
    const seen = Object.entries(readiness).map(([when, { status, body }]) => [when, status, body['reasons']]);
    expect(seen).toEqual([
      ['later, before the move', 503, ['another database serves the tenants']],
      ['former, after the move', 503, ['another database serves the tenants']],
      ['later, after the move', 200, undefined],
    ]);
  });
}
