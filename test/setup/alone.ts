import type { Lease } from '../../packages/server/src/jobs/lease.ts';

/** A lease for jobs in tests that have no other replica. */
export function alone(signal: AbortSignal = new AbortController().signal): Lease {
  return { signal, hold: async () => {} };
}
