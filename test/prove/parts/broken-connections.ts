// Every way in which a connection to the database breaks, 30 times each: postgres.js throws errors in timers then, and no server
// may end by them.
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { connectTo } from '@eaas/test-kit/faults/place';
import { breakingProxy } from '../machine/breaking-proxy.ts';
import { startPgbouncer } from '../machine/pgbouncer.ts';
import { startPostgres } from '../machine/postgres.ts';
import { type Findings, scaled, type Trial } from '../trial.ts';
import { UnderLoad } from './under-load.ts';

/** More than two tenants share statements, and what befalls one of them must not befall the others. */
export function brokenConnections({ isTls = false, isPooled = false, tenants = 2 }): Trial {
  const isShared = tenants > 2;
  return {
    name: isShared ? 'platform' : isTls ? 'broken-tls' : 'broken',
    about: `each connection${isTls ? ' with TLS' : ''} breaks in every way, 30 times${isShared ? '; one of many tenants is kept from writing' : ''}`,
    limit: 600,
    async run(findings) {
      const database = await startPostgres(findings);
      const pooler = isPooled && (await startPgbouncer(findings, database, 1));
      const proxy = await breakingProxy(findings, pooler || database.url('server'), isTls);
      const load = await UnderLoad.start(findings, database.url, { EAAS_DATABASE_URL: proxy.url }, tenants);
      const sql = connectTo(database);
      findings.defer(() => sql.end({ timeout: 1 }));

      const repeat = async (what: string, pause: number, inflict: () => unknown): Promise<void> => {
        for (let nth = 0; nth < scaled(30); nth++) {
          await inflict();
          // At another moment of the calls each time.
          await sleep(pause + 7 * nth);
        }
        await load.recovers(what, scaled(30));
      };
      const full = async (): Promise<void> => {
        await sql`alter role eaas_server connection limit 1`;
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'eaas_server'`;
        await sleep(300);
        await sql`alter role eaas_server connection limit -1`;
      };
      const hold = async (milliseconds: number, then: 'reset' | 'release'): Promise<void> => {
        proxy.break('hold');
        await sleep(milliseconds);
        proxy.break(then);
      };
      for (const how of ['end', 'cut', 'reset'] as const) {
        await repeat(`connections broken by ${how}`, 100, () => proxy.break(how));
      }
      await repeat('answers lost', 100, () => hold(50, 'reset'));
      await repeat('answers 300 ms late', 100, () => hold(300, 'release'));
      await repeat('all connections used', isPooled ? 1_200 : 200, full);
      if (isShared) await befallOne(findings, load, sql);
      await sql.end();
      await repeat('database killed and started', isPooled ? 1_200 : 200, async () => {
        await database.crash();
        await database.start();
      });
      await load.judge();
    },
  };
}

/** What befalls the links of one tenant, while others have links in the same statements. */
async function befallOne(findings: Findings, load: UnderLoad, sql: postgres.Sql): Promise<void> {
  const tenantId = load.loaded[0]?.tenant.tenantId ?? '';
  for (let nth = 0; nth < scaled(5); nth++) {
    await sql.begin(async (tx) => {
      await tx`select from eaas.audit_heads where tenant_id = ${tenantId} for update`;
      await load.servesOthers('head of one tenant held');
    });
    await load.recovers('head of one tenant held');
    const refused = `add constraint refused check (tenant_id <> '${tenantId}') not valid`;
    await sql.unsafe(`alter table eaas.audit_entries ${refused}`);
    await load.servesOthers('links of one tenant refused');
    await sql`alter table eaas.audit_entries drop constraint refused`;
    await load.recovers('links of one tenant refused');
  }
  const { count } = await sql`
    select from eaas.audit_entries group by xmin::text having count(distinct tenant_id) > 1`;
  findings.figure('statements for several tenants', count);
  findings.check('links of several tenants share statements', count > 0);
}
