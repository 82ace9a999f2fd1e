import { randomUUID } from 'node:crypto';
import type { Service } from '../app/service.ts';
import { type Hold, LeaseLost, releaseLease, requireLease, takeLease } from '../store/leases.ts';

export interface Lease {
  readonly signal: AbortSignal;
  /**
   * Every transaction in which the job writes must begin with `hold`, which throws if another replica now runs the job.
   */
  readonly hold: Hold;
}

const longest = 60_000;

export async function withLease(
  { database }: Service,
  job: string,
  stopping: AbortSignal,
  run: (lease: Lease) => Promise<void>,
): Promise<boolean> {
  const holder = randomUUID();
  const renew = () => database.run((sql) => takeLease(sql, job, holder, longest));
  const row = await renew();
  if (!row) return false;
  const ending = new AbortController();
  // `AbortSignal.any` is not used, because in Node 20 each of its signals takes memory as long as `stopping` exists.
  const stop = (): void => ending.abort(stopping.reason);
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  // A failed renewal does no harm: each transaction of the job checks the lease.
  const renewal = setInterval(() => {
    void renew().then(
      (renewed) => renewed?.fence !== row.fence && ending.abort(new LeaseLost(job)),
      () => {},
    );
  }, longest / 4);
  try {
    await run({ signal: ending.signal, hold: (tx) => requireLease(tx, row) });
    return true;
  } finally {
    clearInterval(renewal);
    stopping.removeEventListener('abort', stop);
    // A failed release is ignored, because the lease expires after a while.
    await database.run((sql) => releaseLease(sql, row)).catch(() => {});
  }
}
