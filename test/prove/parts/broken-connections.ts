// Every way in which a connection to the database breaks, 30 times each: postgres.js throws errors in timers then, and no server
// may end by them.
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo } from '@eaas/test-kit/faults/place';
import { breakingProxy } from '../machine/breaking-proxy.ts';
import { startPgbouncer } from '../machine/pgbouncer.ts';
import { startPostgres } from '../machine/postgres.ts';
import { scaled, type Trial } from '../trial.ts';
import { UnderLoad } from './under-load.ts';

export function brokenConnections({ isTls, isPooled }: { isTls: boolean; isPooled: boolean }): Trial {
  return {
    name: isTls ? 'broken-tls' : 'broken',
    about: `each connection${isTls ? ' with TLS' : ''} breaks in every way, 30 times`,
    limit: 600,
    async run(findings) {
      const database = await startPostgres(findings);
      const pooler = isPooled && (await startPgbouncer(findings, database, 1));
      const proxy = await breakingProxy(findings, pooler || database.url('server'), isTls);
      const load = await UnderLoad.start(findings, database.url, { EAAS_DATABASE_URL: proxy.url });
      const sql = connectTo(database);
      findings.defer(() => sql.end({ timeout: 1 }));

      const repeat = async (what: string, pause: number, inflict: () => unknown): Promise<void> => {
        for (let nth = 0; nth < scaled(30); nth++) {
          await inflict();
          // At another moment of the calls each time.
          await sleep(pause + 7 * nth);
        }
        findings.try(what, scaled(30));
        await load.recovers(what);
      };
      const full = async (): Promise<void> => {
        await sql`alter role eaas_server connection limit 1`;
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'eaas_server'`;
        await sleep(300);
        await sql`alter role eaas_server connection limit -1`;
      };
      for (const how of ['end', 'cut', 'reset'] as const)
        await repeat(`connections broken by ${how}`, 100, () => proxy.break(how));
      await repeat('all connections used', isPooled ? 1_200 : 200, full);
      await sql.end();
      await repeat('database killed and started', isPooled ? 1_200 : 200, async () => {
        await database.crash();
        await database.start();
      });
      await load.judge();
    },
  };
}
