import { Shares } from './shares.ts';
import { Turns } from './turns.ts';

const mebi = 1024 * 1024;

/**
 * The limit in bytes between small and large request bodies. Small bodies use the capacity `small_bodies`, and larger
 * bodies use `large_bodies`.
 */
export const smallBody = 64 * 1024;

export type Admission = ReturnType<typeof createAdmission>;

/** Creates the queues that divide the memory, connections and CPU time of a replica among its tenants. */
export function createAdmission(turns = new Turns()) {
  return {
    turns,
    shares: {
      /** Memory in bytes for request bodies up to 64 KiB. A call holds its memory until it ends. */
      small_bodies: new Shares({ capacity: 16 * mebi }),
      /** Memory in bytes for request bodies over 64 KiB. A call holds its memory until it ends. */
      large_bodies: new Shares({ capacity: 32 * mebi, perTenant: 8 * mebi }),
      /** Memory in bytes for audit entries that wait to be written. `entryUnits` computes the memory of a call. */
      entries: new Shares({ capacity: 32 * mebi }),
      /**
       * The number of concurrent transactions that change a tenant. They can use half of the connection pool. The other
       * half is for authentication and for appending audit entries.
       */
      changes: new Shares({ capacity: 5, perTenant: 1 }),
      /**
       * The number of concurrent calls that list rows or sign checkpoints. These calls can use the whole connection
       * pool for reads.
       */
      reads: new Shares({ capacity: 4, perTenant: 2 }),
      /**
       * The number of concurrent calls that verify an audit log. The nightly verification uses a separate connection.
       */
      verifications: new Shares({ capacity: 2, perTenant: 1 }),
      /**
       * The number of concurrent database look-ups of tokens that this replica has seen before. Each tenant has its own
       * queue.
       */
      known_tokens: new Shares({ capacity: 4 }),
      /**
       * The number of concurrent database look-ups of unknown tokens. The tenant of an unknown token is not known yet,
       * so each token has its own queue.
       */
      unknown_tokens: new Shares({ capacity: 5 }),
    },
  };
}

/** The minimum number of bytes that a waiting audit entry counts. The minimum limits the queue to 20,000 entries. */
const leastUnits = Math.ceil((32 * mebi) / 20_000);

/** Returns how many bytes of the capacity `entries` some audit entries take. */
export function entryUnits(drafts: readonly { readonly metadata: string }[]): number {
  return drafts.reduce((units, { metadata }) => units + Math.max(leastUnits, Buffer.byteLength(metadata)), 0);
}
