import { Shares } from './shares.ts';
import { Turns } from './turns.ts';

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
      /** Changes use half of the connection pool. The rest is for authentication and for appending audit entries. */
      changes: new Shares({ capacity: 5, perTenant: 1 }),
      reads: new Shares({ capacity: 4, perTenant: 2 }),
      verifications: new Shares({ capacity: 2, perTenant: 1 }),
      known_tokens: new Shares({ capacity: 4 }),
      unknown_tokens: new Shares({ capacity: 5 }),
    },
  };
}

const leastUnits = Math.ceil((32 * mebi) / 20_000);

export function entryUnits(drafts: readonly { readonly metadata: string }[]): number {
  return drafts.reduce((units, { metadata }) => units + Math.max(leastUnits, Buffer.byteLength(metadata)), 0);
}
