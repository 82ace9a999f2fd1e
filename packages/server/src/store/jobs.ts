import type { Sql } from './sql.ts';

/** Takes a daily job of a day. One replica does; the others learn that it is taken. */
export async function takeDailyJob(sql: Sql, job: string, day: string): Promise<boolean> {
  const done = await sql`insert into eaas.job_runs (job, day) values (${job}, ${day}) on conflict do nothing`;
  return done.count > 0;
}

/** How many milliseconds this clock is ahead of the database's, as far as the round trip lets it be known. */
export async function clockDifference(sql: Sql, clock: () => number): Promise<number> {
  const before = clock();
  const [row] = await sql<
    { now: number }[]
  >`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  const after = clock();
  const theirs = row?.now ?? 0;
  return theirs < before ? before - theirs : theirs > after ? after - theirs : 0;
}
