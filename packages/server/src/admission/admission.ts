import { Shares } from './shares.ts';
import { Turns } from './turns.ts';

const mebi = 1024 * 1024;

/** Request bodies up to this number of bytes use the capacity `small_bodies`. Larger ones use `large_bodies`. */
export const smallBody = 64 * 1024;

export type Admission = ReturnType<typeof createAdmission>;

/** Creates the queues that divide the memory, connections and CPU time of a replica among its tenants. */
export function createAdmission(turns = new Turns()) {
  return {
    turns,
    shares: {
      /** Bytes of memory for request bodies up to 64 KiB. A call holds them until it ends. */
      small_bodies: new Shares({ capacity: 16 * mebi }),
      /** Bytes of memory for larger request bodies. A call holds them until it ends. */
      large_bodies: new Shares({ capacity: 32 * mebi, perTenant: 8 * mebi }),
      /** Bytes of memory for audit entries that wait to be written. `entryUnits` computes the bytes that a call needs. */
      entries: new Shares({ capacity: 32 * mebi }),
      /**
       * Transactions that change a tenant. They can use half of the connection pool. The other half is for authentication and
       * for appending entries.
       */
      changes: new Shares({ capacity: 5, perTenant: 1 }),
      /** Calls that list rows or sign checkpoints. They can use the whole connection pool for reads. */
      reads: new Shares({ capacity: 4, perTenant: 2 }),
      /** Calls that verify an audit log. The nightly verification uses a separate connection. */
      verifications: new Shares({ capacity: 2, perTenant: 1 }),
      /** Database look-ups of API key tokens that this replica has seen before. Each tenant has its own queue. */
      known_tokens: new Shares({ capacity: 4 }),
      /**
       * Database look-ups of unknown tokens. Each token has its own queue, because the look-up has not found its tenant yet.
       */
      unknown_tokens: new Shares({ capacity: 5 }),
    },
  };
}

/** Each waiting entry counts as at least this number of bytes, which limits the queue to 20,000 entries. */
const leastUnits = Math.ceil((32 * mebi) / 20_000);

/** Returns how many bytes of the capacity `entries` these drafts of audit entries take. */
export function entryUnits(drafts: readonly { readonly metadata: string }[]): number {
  return drafts.reduce((units, { metadata }) => units + Math.max(leastUnits, Buffer.byteLength(metadata)), 0);
}
