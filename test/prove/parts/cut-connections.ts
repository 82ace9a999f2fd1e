// Two replicas of a service write to one tenant, over connections that are cut at every point: before a message, within it, and
// after it. What was answered is compared with what is stored.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { ROLES } from '../../../packages/dev/src/embedded-database.ts';
import { Database } from '../../../packages/server/src/postgres/database.ts';
import { openPool } from '../../../packages/server/src/postgres/sql.ts';
import { migrate } from '../../../packages/server/src/postgres/migrate.ts';
import { postgresStore } from '../../../packages/server/src/postgres/postgres-store.ts';
import { type Roots, rootKey } from '../../../packages/service/src/crypto/tenant-secrets.ts';
import { run } from '../../../packages/service/src/operate.ts';
import { insider } from '../../../packages/service/src/operation.ts';
import { newTenant } from '../../../packages/service/src/operations/tenants.ts';
import { people } from '../../../packages/service/src/plugins/people/index.ts';
import { Refusal } from '../../../packages/service/src/rules/refusal.ts';
import { createService } from '../../../packages/service/src/service.ts';
import type { TestDatabase } from '@eaas/test-kit/database';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { type Findings, type Part, scaled } from '../trial.ts';

type Connection = ReturnType<TestDatabase['connection']>;

/** The chunks between two cuts. A connection needs about ten until its first answer. */
const gaps = [23, 1, 14, 8, 31, 2, 17, 12, 5, 26, 3, 19, 10];

/** Passes bytes on, and cuts connections while `isCutting`. */
async function cuttingProxy({ host, port }: Connection, directory: string) {
  const name = `.s.PGSQL.${port}`;
  const proxy = { directory, isCutting: false, cuts: 0, close: () => {} };
  const open = new Set<Socket>();
  let chunks = 0;
  const pass = (from: Socket, to: Socket): void => {
    from.on('data', (chunk) => {
      if (!proxy.isCutting || ++chunks < (gaps[proxy.cuts % gaps.length] ?? 1)) {
        to.write(chunk);
        return;
      }
      chunks = 0;
      // None of the chunk, the half of it, or all. The other side may answer, but nobody hears it.
      const part = chunk.subarray(0, (chunk.length * (proxy.cuts++ % 3)) / 2);
      from.destroy();
      to.end(part);
    });
    from
      .on('error', () => {})
      .on('close', () => {
        to.end();
        open.delete(from);
      });
    open.add(from);
  };
  const server = createServer((client) => {
    const upstream = connect(join(host, name));
    pass(client, upstream);
    pass(upstream, client);
  }).listen(join(directory, name));
  await once(server, 'listening');
  proxy.close = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return proxy;
}

function replicaOf(findings: Findings, roots: Roots, connection: Connection) {
  const [calls, others] = [new Database(connection, 4), new Database(connection, 4)];
  findings.defer(() => Promise.all([calls.close(), others.close()]));
  const store = postgresStore({ calls, lists: others, background: others });
  const locked: typeof store.locked = (tenantId, needs, lost, work, deadline) => {
    const counting: typeof work = (known) => {
      if (lost.length > 0)
        findings.answer({ [known.written ? 'lost, and written' : 'lost, and not written']: 1 });
      return work(known);
    };
    return store.locked(tenantId, needs, lost, counting, deadline);
  };
  return createService({ store: { ...store, locked }, roots, plugins: [people()] });
}

/** A wrap that one of the replicas has answered. */
interface Wrapped {
  readonly subject: string;
  readonly context: { readonly call: string };
  readonly dek: string;
  readonly wrapped_key: string;
  readonly id: number;
  readonly hash: string;
}

async function cutAtEveryPoint(findings: Findings): Promise<void> {
  const postgres = await OwnPostgres.start('installed');
  findings.defer(() => postgres.drop());
  const owner = openPool(postgres.connection('owner'), 1);
  findings.defer(() => owner.end());
  await migrate(owner, ROLES.server);
  const connection = postgres.connection('server');
  const proxy = await cuttingProxy(connection, await findings.newDirectory());
  findings.defer(() => proxy.close());
  const roots = [rootKey(randomBytes(32))] as const;
  const direct = replicaOf(findings, roots, connection);
  const replicas = [1, 2].map(() => replicaOf(findings, roots, { ...connection, host: proxy.directory }));
  const { head, writes } = newTenant(roots, { name: 'tenant', envelope_only: true }, Date.now());
  await direct.store.create(head, writes);
  const operator = insider(head.tenant_id, 'operator');
  const { answer: key } = await run(direct, operator, 'POST /v1/keys', { name: 'key' });

  // Both replicas wrap for a new person at once. Every second pair of calls is equal, so its entries differ in nothing.
  const released: Wrapped[] = [];
  const asked = new Map<string, number>();
  const failed: Record<string, number> = {};
  const wrap = async (nth: number, attempt = 1): Promise<void> => {
    const pair = nth >> 1;
    const service = replicas[nth % 2] ?? direct;
    const subject = `person ${pair}`;
    const context = { call: `${pair % 2 ? pair : nth + 0.5}, attempt ${attempt}` };
    const dek = randomBytes(32).toString('base64');
    asked.set(context.call, (asked.get(context.call) ?? 0) + 1);
    const input = { key_id: key.key_id, dek, subject, context };
    try {
      const { answer, receipt } = await run(service, operator, 'POST /v1/keys/:key_id/wrap', input);
      if (receipt) released.push({ ...answer, ...receipt, subject, context, dek });
    } catch (error) {
      const code = error instanceof Refusal ? error.problem.code : String(error);
      failed[code] = (failed[code] ?? 0) + 1;
      if (attempt < 10) await wrap(nth, attempt + 1);
    }
  };
  const [calls, atOnce] = [scaled(400), 8];
  proxy.isCutting = true;
  for (let first = 0; first < calls; first += atOnce) {
    await Promise.allSettled(Array.from({ length: atOnce }, (_, nth) => wrap(first + nth)));
  }
  proxy.isCutting = false;
  findings.try('wrap', calls);
  findings.answer({ released: released.length, ...failed });
  findings.figure('connections cut', proxy.cuts);
  await judge(findings, direct, released, asked, { operator, keyId: key.key_id, owner });
}

async function judge(
  findings: Findings,
  service: ReturnType<typeof replicaOf>,
  released: readonly Wrapped[],
  asked: ReadonlyMap<string, number>,
  {
    operator,
    keyId,
    owner,
  }: { operator: ReturnType<typeof insider>; keyId: string; owner: ReturnType<typeof openPool> },
): Promise<void> {
  const rows = await owner<{ id: number; hash: Buffer; call: string }[]>`
    select id, hash, metadata::json -> 'context' ->> 'call' as call from eaas.audit_entries
    where action = 'key.wrap' order by id`;
  const entries = new Map(rows.map((row) => [row.id, row]));
  const without = released.filter(({ id, hash, context }) => {
    const entry = entries.get(id);
    return entry?.call !== context.call || entry.hash.toString('hex') !== hash;
  });
  findings.check('each answer has its entry', released.length > 0 && without.length === 0, without.length);
  const distinct = new Set(released.map(({ id }) => id)).size;
  findings.check('no entry has two answers', distinct === released.length, released.length - distinct);
  const twice = [...asked].filter(([call, times]) => rows.filter((row) => row.call === call).length > times);
  findings.check('nothing is written twice', twice.length === 0, twice.length);
  findings.figure('entries', rows.length);
  findings.check('answers of written links were lost', (findings.answered.get('lost, and written') ?? 0) > 0);
  let lost = 0;
  for (const { subject, context, wrapped_key, dek } of released) {
    const input = { key_id: keyId, wrapped_key, subject, context };
    const opened = await run(service, operator, 'POST /v1/keys/:key_id/unwrap', input).catch(() => undefined);
    if (opened?.answer.dek !== dek) lost++;
  }
  findings.lose(lost);
  findings.check('each wrapped key opens', lost === 0, lost);
  const { answer } = await run(service, operator, 'GET /v1/audit/verify', {});
  findings.check('the log and the sum of rows are valid', answer.valid === true, answer.errors);
}

export const cutConnections: Part = {
  name: 'cut-connections',
  about: 'two replicas whose connections to the database are cut at every point',
  trials: [
    {
      name: 'wraps',
      about: '400 first wraps of people, of which many lose their answers',
      limit: 300,
      run: cutAtEveryPoint,
    },
  ],
};
