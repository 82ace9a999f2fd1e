import type { Lease } from '../../packages/server/src/jobs/lease.ts';

/** A lease for jobs of tests, where no other replica competes. */
export function alone(signal: AbortSignal = new AbortController().signal): Lease {
  return { signal, hold: async () => {} };
}
