import type { Sql, Transaction } from './sql.ts';

/**
 * The right of a replica to run a job until the lease expires. The number `fence` increases each time another replica
 * takes the lease.
 */
export interface LeaseRow {
  readonly job: string;
  readonly holder: string;
  readonly fence: number;
}

/** Locks a lease until a transaction ends. Throws LeaseLost if the lease has expired. */
export type Hold = (tx: Transaction) => Promise<void>;

/** Thrown if the lease of a job has expired. Another replica might already run the job. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  constructor(job: string) {
    super(`the lease of the job ${job} has expired: another replica can take it and run the job`);
  }
}

/** Takes or renews the lease of a job for a replica. Returns undefined if another replica holds the lease. */
export async function takeLease(sql: Sql, job: string, holder: string, milliseconds: number) {
  const [row] = await sql<{ fence: number }[]>`
    insert into eaas.leases as held (job, holder, fence, expires_at)
    values (${job}, ${holder}, 1, eaas.now_ms() + ${milliseconds})
    on conflict (job) do update set holder = excluded.holder, expires_at = excluded.expires_at,
      fence = held.fence + (held.holder <> excluded.holder)::int
      where held.holder = excluded.holder or held.expires_at <= eaas.now_ms()
    returning fence`;
  return row && { job, holder, fence: row.fence };
}

export async function releaseLease(sql: Sql, { job, holder, fence }: LeaseRow): Promise<void> {
  await sql`update eaas.leases set expires_at = 0
    where job = ${job} and holder = ${holder} and fence = ${fence}`;
}

/**
 * Locks the lease of a job until the transaction ends, so that no other replica can take the lease. Throws LeaseLost if
 * the lease has expired.
 */
export async function requireLease(tx: Transaction, { job, holder, fence }: LeaseRow): Promise<void> {
  const { count } = await tx`
    select from eaas.leases
    where job = ${job} and holder = ${holder} and fence = ${fence} and expires_at > eaas.now_ms()
    for share`;
  if (count === 0) throw new LeaseLost(job);
}
