import { LRUCache } from 'lru-cache';
import { sameBytes } from '../crypto/same-bytes.ts';
import type { SeenHead } from '../store/heads.ts';

interface LastHead {
  readonly id: number;
  readonly hash: Uint8Array;
  isLost: boolean;
}

/**
 * The newest head of each audit log is remembered longer than other data. If a log later has an older head, a restore
 * has removed entries.
 */
export class Timelines {
  readonly #last = new LRUCache<string, LastHead>({ max: 50_000 });
  wentBack = 0;

  last(tenantId: string): LastHead | undefined {
    return this.#last.get(tenantId);
  }

  note(tenantId: string, { id, hash }: { readonly id: number; readonly hash: Uint8Array }): void {
    const last = this.#last.get(tenantId);
    if (last && !last.isLost && last.id >= id) return;
    this.#last.set(tenantId, { id, hash, isLost: false });
  }

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
