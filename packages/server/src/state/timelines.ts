import { BoundedMap } from '../bounded-map.ts';
import { sameBytes } from '../crypto/same-bytes.ts';
import type { SeenHead } from '../store/heads.ts';

/** The last head of a tenant's audit log that this replica has read or written. */
interface LastHead {
  readonly id: number;
  readonly hash: Uint8Array;
  /** Whether a database read has found that the audit log no longer contains this head. */
  isLost: boolean;
}

/**
 * Keeps the last known head of each tenant, even after the tenant's data was dropped from the cache. A later read
 * compares the audit log with this head. The comparison detects that a restore or a failover has removed entries.
 */
export class Timelines {
  readonly #last = new BoundedMap<string, LastHead>(50_000);
  /** The number of times that a database read has found that an audit log had lost entries. */
  wentBack = 0;

  /**
   * Returns the last known head of a tenant. Each read of the tenant's head also reads the hash of the audit entry with
   * the known head's id, to compare both.
   */
  last(tenantId: string): LastHead | undefined {
    return this.#last.get(tenantId);
  }

  note(tenantId: string, { id, hash }: { readonly id: number; readonly hash: Uint8Array }): void {
    const last = this.#last.get(tenantId);
    if (last && !last.isLost && last.id >= id) return;
    this.#last.set(tenantId, { id, hash, isLost: false });
  }

  /**
   * Compares a head from a read with the head that was known before the read. Returns false, and counts the loss once,
   * if the audit log no longer contains the known head. A purged entry does not count as lost.
   */
  continues(tenantId: string, asked: LastHead | undefined, seen: SeenHead): boolean {
    if (!asked || asked.isLost) return true;
    const then = seen.id === asked.id ? seen.hash : seen.known_hash;
    if (seen.id >= asked.id && (!then || sameBytes(then, asked.hash))) return true;
    this.wentBack++;
    asked.isLost = true;
    const last = this.#last.get(tenantId);
    if (last) last.isLost = true;
    return false;
  }

  forget(tenantId: string): void {
    this.#last.delete(tenantId);
  }
}
