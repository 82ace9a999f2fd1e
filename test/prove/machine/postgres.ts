import type postgres from 'postgres';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import type { Findings } from '../trial.ts';

/** The installed PostgreSQL, or else the embedded one. Trials that do not break it need not wait for the disk. */
export async function startPostgres(findings: Findings, durable = true): Promise<OwnPostgres> {
  const own = await OwnPostgres.start('installed', durable);
  findings.defer(own.drop);
  return own;
}

/** Sets the clock of a database to so many milliseconds after that of the machine. */
export const stepClock = (superuser: postgres.Sql, milliseconds: number): Promise<unknown> =>
  superuser.unsafe(`create or replace function eaas.now_ms() returns bigint language sql volatile
    return (extract(epoch from clock_timestamp()) * 1000)::bigint + ${Math.round(milliseconds)}`);
