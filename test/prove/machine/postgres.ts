import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import type { Findings } from '../trial.ts';

/** The installed PostgreSQL, or else the embedded one. Trials that do not break it need not wait for the disk. */
export async function startPostgres(findings: Findings, durable = true): Promise<OwnPostgres> {
  const postgres = await OwnPostgres.start('installed', durable);
  findings.defer(postgres.drop);
  return postgres;
}
