import type { Sql } from './sql.ts';

export async function databaseTime(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: number }[]>`select eaas.now_ms() as now`;
  if (!row) throw new Error('expected the current time from the database (got no row)');
  return row.now;
}

/**
 * Returns the smallest possible difference of the clocks. The query's duration makes the exact difference uncertain.
 */
export async function clockDifference(sql: Sql, clock: () => number): Promise<number> {
  const before = clock();
  const [row] = await sql<{ now: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  const after = clock();
  const theirs = row?.now ?? 0;
  return theirs < before ? before - theirs : theirs > after ? after - theirs : 0;
}
