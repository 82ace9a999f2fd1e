import { setTimeout as sleep } from 'node:timers/promises';
import type { Findings } from '../trial.ts';
import type { Cluster } from './cluster.ts';

const countEvery = 100;

/** Counts the database connections of all servers at regular intervals. */
export class ConnectionWatch {
  most = 0;
  now = 0;

  constructor(findings: Findings, cluster: Cluster) {
    const sql = cluster.connect(findings, 'superuser');
    const ending = new AbortController();
    const count = async (): Promise<void> => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from pg_stat_activity where usename = 'eaas_server'`;
      this.now = row?.count ?? 0;
      this.most = Math.max(this.most, this.now);
    };
    const counting = (async () => {
      // A count fails while the database is not available.
      for (; !ending.signal.aborted; await sleep(countEvery)) await count().catch(() => {});
    })();
    findings.defer(async () => {
      ending.abort();
      await counting;
    });
  }
}
