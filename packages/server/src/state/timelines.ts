import { BoundedMap } from '../bounded-map.ts';
import { sameBytes } from '../crypto/same-bytes.ts';
import type { SeenHead } from '../store/heads.ts';

/** The last head of a tenant's log that this replica has read or written. */
interface LastHead {
  readonly id: number;
  readonly hash: Uint8Array;
  /** Whether a read has found that the log no longer contains this head. */
  isLost: boolean;
}

/**
 * Keeps the last known head of each tenant, even after the tenant's view was dropped. A later read compares the log
 * with this head, and so detects that the log has lost entries by a restore or a failover.
 */
export class Timelines {
  readonly #last = new BoundedMap<string, LastHead>(50_000);
  /** How many times a read has found that a log had lost entries. */
  wentBack = 0;

  /**
   * Returns the last known head of a tenant. Each read of the tenant's head also reads the hash of the entry with this head's
   * id, for the comparison.
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
   * Compares a head that was read with the head that was known before the read began. If the log has lost the known head,
   * returns false and counts the loss once. A purged entry does not count as lost.
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
