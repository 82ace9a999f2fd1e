import { Shares } from './shares.ts';
import { Turns } from './turns.ts';
import { Unread } from './unread-responses.ts';

const mebi = 1024 * 1024;

export const smallBody = 64 * 1024;

export type Admission = ReturnType<typeof createAdmission>;

/** `workers` is the number of worker processes, which share the server's memory and connections. */
export function createAdmission(turns = new Turns(), workers = 1) {
  const divide = (most: number): number => Math.max(1, Math.floor(most / workers));
  const reads = divide(4);
  // Each worker process has at least 8 MiB for large bodies, which is the share of one tenant.
  const largeBodies = Math.max(8 * mebi, divide(32 * mebi));
  return {
    turns,
    shares: {
      small_bodies: new Shares({ capacity: divide(16 * mebi) }),
      large_bodies: new Shares({ capacity: largeBodies, perTenant: 8 * mebi }),
      entries: new Shares({ capacity: 32 * mebi }),
      /**
       * Changes of keys and tenants use at most half of the connection pool. The other half is for authentication and
       * for appending audit entries.
       */
      changes: new Shares({ capacity: divide(5), perTenant: 1 }),
      reads: new Shares({ capacity: reads, perTenant: Math.min(2, reads) }),
      // Two audit logs can be verified at the same time, but only one per tenant. A verification gives its place back
      // after a second if another tenant waits, so several tenants have their turn within this patience.
      verifications: new Shares({ capacity: 2, perTenant: 1, patience: 8_000 }),
      known_tokens: new Shares({ capacity: divide(4) }),
      responses: new Unread(Math.max(16 * mebi, divide(32 * mebi))),
    },
  };
}
