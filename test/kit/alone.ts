import type { Lease } from '../../packages/server/src/jobs/schedule.ts';

export function alone(signal: AbortSignal = new AbortController().signal): Lease {
  return { signal, hold: async () => {} };
}
