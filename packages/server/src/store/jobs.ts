import type { Sql } from './sql.ts';

const abandonedAfter = 6 * 60 * 60 * 1000;

/** What a nightly verification found. */
export interface FinishedVerification {
  readonly finished_at: number;
  /** How many tenants' chains were broken. */
  readonly broken: number;
}

/** Takes the verification of a day: one replica does, or another after hours in which that one has not finished. */
export async function takeVerification(sql: Sql, day: string, time: number): Promise<boolean> {
  const taken = await sql`
    insert into eaas.verifications as v (day, taken_at) values (${day}, ${time})
    on conflict (day) do update set taken_at = excluded.taken_at
      where v.finished_at is null and v.taken_at < ${time - abandonedAfter}`;
  return taken.count > 0;
}

/** Writes down what it found; undefined: it failed, and another may take it at once. */
export async function finishVerification(
  sql: Sql,
  day: string,
  found: FinishedVerification | undefined,
): Promise<void> {
  const columns = found ? { ...found } : { taken_at: 0 };
  await sql`update eaas.verifications set ${sql(columns)} where day = ${day}`;
}

/** The last one that was finished. */
export async function lastVerification(sql: Sql): Promise<FinishedVerification | undefined> {
  const [row] = await sql<FinishedVerification[]>`
    select finished_at, broken from eaas.verifications where finished_at is not null order by day desc limit 1`;
  return row;
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
