import type { Lease } from '../../packages/server/src/jobs/lease.ts';

export function alone(signal: AbortSignal = new AbortController().signal): Lease {
  return { signal, hold: async () => {} };
}
