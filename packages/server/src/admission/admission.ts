import { Shares } from './shares.ts';
import { Turns } from './turns.ts';
import { Unread } from './unread-responses.ts';

const mebi = 1024 * 1024;

export const smallBody = 64 * 1024;

export type Admission = ReturnType<typeof createAdmission>;

export function createAdmission(turns = new Turns()) {
  return {
    turns,
    shares: {
      small_bodies: new Shares({ capacity: 16 * mebi }),
      large_bodies: new Shares({ capacity: 32 * mebi, perTenant: 8 * mebi }),
      entries: new Shares({ capacity: 32 * mebi }),
      /**
       * Changes of keys and tenants use at most half of the connection pool. The other half is for authentication and
       * for appending audit entries.
       */
      changes: new Shares({ capacity: 5, perTenant: 1 }),
      reads: new Shares({ capacity: 4, perTenant: 2 }),
      // Two audit logs can be verified at the same time, but only one per tenant. A verification gives its place back
      // after a second if another tenant waits.
      verifications: new Shares({ capacity: 2, perTenant: 1 }),
      known_tokens: new Shares({ capacity: 4 }),
      /** Signatures of tokens. While one tenant has many forged ones verified, another has half of this to itself. */
      signatures: new Shares({ capacity: 2 }),
      responses: new Unread(32 * mebi),
    },
  };
}
