import { Shares } from './shares.ts';
import { Turns } from './turns.ts';

const mebi = 1024 * 1024;

/** Bodies up to this number of bytes use the share `small_bodies`. */
export const smallBody = 64 * 1024;

/** The resources that the tenants of a replica share. */
export type Admission = ReturnType<typeof createAdmission>;

/** Makes the shares of a replica. Shares in bytes limit its memory. The other shares limit its database connections. */
export function createAdmission(turns = new Turns()) {
  return {
    turns,
    shares: {
      /** Bytes of bodies up to 64 KiB, until the call ends. */
      small_bodies: new Shares({ capacity: 16 * mebi }),
      /** Bytes of larger bodies, until the call ends. */
      large_bodies: new Shares({ capacity: 32 * mebi, perTenant: 8 * mebi }),
      /** Bytes of audit entries that wait to be written, by `entryUnits`. */
      entries: new Shares({ capacity: 32 * mebi }),
      /** Transactions that change a tenant. They use half of the pool, because the pool also authenticates and appends. */
      changes: new Shares({ capacity: 5, perTenant: 1 }),
      /** Lists and checkpoints. They can use the whole pool for reads. */
      reads: new Shares({ capacity: 4, perTenant: 2 }),
      /** Calls that verify an audit log. The nightly verification uses a separate connection. */
      verifications: new Shares({ capacity: 2, perTenant: 1 }),
      /** Look-ups of tokens that were found before, by tenant. */
      known_tokens: new Shares({ capacity: 4 }),
      /** Look-ups of other tokens. They are shared by token instead of tenant, because anyone can send such tokens. */
      unknown_tokens: new Shares({ capacity: 5 }),
    },
  };
}

/** An entry counts as at least this number of bytes, so at most 20,000 entries wait. */
const leastUnits = Math.ceil((32 * mebi) / 20_000);

/** Returns the units of waiting entries in the share `entries`. */
export function entryUnits(drafts: readonly { readonly metadata: string }[]): number {
  return drafts.reduce((units, { metadata }) => units + Math.max(leastUnits, Buffer.byteLength(metadata)), 0);
}
