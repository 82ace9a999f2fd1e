// Leases in the database, by which each job runs on one replica at a time, and a replica that lost its lease cannot commit.
import { Explained } from '../base/explained.ts';
import type { Sql, Transaction } from '../postgres/sql.ts';

type LeaseRow = NonNullable<Awaited<ReturnType<typeof takeLease>>>;

export type Hold = (tx: Transaction) => Promise<void>;

export class LeaseLost extends Explained {
  override readonly name = 'LeaseLost';
  constructor(job: string) {
    super(`the lease of the job ${job} has expired: another replica can take it and run the job`);
  }
}

/**
 * Also takes a lease that ends more than `milliseconds` from now. Such a lease was taken before the clock of the
 * database was set back, and its holder might have died.
 */
export async function takeLease(sql: Sql, job: string, holder: string, milliseconds: number) {
  const [row] = await sql<{ fence: number }[]>`
    insert into eaas.leases as held (job, holder, fence, expires_at)
    values (${job}, ${holder}, 1, eaas.now_ms() + ${milliseconds})
    on conflict (job) do update set holder = excluded.holder, expires_at = excluded.expires_at,
      fence = held.fence + (held.holder <> excluded.holder)::int
      where held.holder = excluded.holder
        or held.expires_at not between eaas.now_ms() + 1 and eaas.now_ms() + ${milliseconds}
    returning fence`;
  return row && { job, holder, fence: row.fence };
}

export async function releaseLease(sql: Sql, { job, holder, fence }: LeaseRow): Promise<void> {
  await sql`update eaas.leases set expires_at = 0
    where job = ${job} and holder = ${holder} and fence = ${fence}`;
}

export async function requireLease(tx: Transaction, { job, holder, fence }: LeaseRow): Promise<void> {
  const { count } = await tx`
    select from eaas.leases
    where job = ${job} and holder = ${holder} and fence = ${fence} and expires_at > eaas.now_ms()
    for share`;
  if (count === 0) throw new LeaseLost(job);
}
