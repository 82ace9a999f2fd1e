import type { Findings } from '../trial.ts';
import type { Cluster } from './cluster.ts';
import { repeat } from './repeat.ts';

const countEvery = 100;

export class ConnectionWatch {
  most = 0;
  now = 0;

  constructor(findings: Findings, cluster: Cluster) {
    const sql = cluster.connect(findings, 'superuser');
    const count = async (): Promise<void> => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from pg_stat_activity where usename = 'eaas_server'`;
      this.now = row?.count ?? 0;
      this.most = Math.max(this.most, this.now);
    };
    // Ignores errors, because the query that counts the connections fails while the database is down.
    findings.defer(repeat(countEvery, () => count().catch(() => {})));
  }
}
