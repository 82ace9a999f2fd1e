import type { Sql } from './sql.ts';

/** Returns the database's time, in milliseconds since 1970. */
export async function databaseTime(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: number }[]>`select eaas.now_ms() as now`;
  if (!row) throw new Error('the database returned no time');
  return row.now;
}

/**
 * Returns how many milliseconds a clock is ahead of the database's clock, at least. The exact difference is unknown
 * because of the time of the round trip. Works without the schema.
 */
export async function clockDifference(sql: Sql, clock: () => number): Promise<number> {
  const before = clock();
  const [row] = await sql<{ now: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  const after = clock();
  const theirs = row?.now ?? 0;
  return theirs < before ? before - theirs : theirs > after ? after - theirs : 0;
}
