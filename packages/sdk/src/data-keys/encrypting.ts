// Finds a data key with room for a value, and requests the next one before it is used up. That is at 80 % of the limit of messages,
// bytes or age, so that no call waits.
import { type Wrapped, randomBytes } from '@eaas/protocol/internal';
import type { DataKeyCalls } from './calls.ts';
import { later, type Timer } from '../http/abortable.ts';
import type { Engines } from '../engines/engines.ts';
import type { Emit } from '../events.ts';
import type { Limits } from './limits.ts';
import { type CacheLimits, DataKeyCache, type Dropped, type Lease } from './cache.ts';
import { deriveDataKey, type DerivedDataKey, type Partition, partitionName } from './derive.ts';

/** The limits for encryption under one data key. The client replaces a data key that reaches a limit. */
export interface BudgetLimits extends CacheLimits {
  readonly maxMessages: number;
  readonly maxBytes: number;
}

const refreshAtShare = 0.8;
const pauseAfterFailure = 1_000;

export function createEncryptingKeys(
  engines: Engines,
  { encrypt: limits, patience }: Limits,
  calls: Pick<DataKeyCalls, 'mint'>,
  emit: Emit,
) {
  const kept = new Map<string, Timer>();
  const cache = new DataKeyCache(limits, (name) => kept.has(name));
  const paused = new Map<string, Timer>();
  // A jump of the clock does not remove a kept data key: it stays until its timer, which the jump does not affect, ends.
  const find = (name: string): Lease | undefined => cache.find(name, kept.has(name));

  async function mint(of: Partition, withSync: boolean, { callers }: Lease): Promise<DerivedDataKey> {
    const dek = randomBytes(32);
    try {
      const derive = (dek: Uint8Array, wrapped: Wrapped) => deriveDataKey(engines, dek, wrapped, withSync);
      const key = await calls.mint(of, dek, derive, { callers });
      const { keyId, keyVersion, half } = key;
      emit({ type: 'data_key.minted', keyId, keyVersion, ...(half && { half }) });
      return key;
    } finally {
      dek.fill(0);
    }
  }

  function request(name: string, of: Partition, sync = false): Lease {
    const withSync = sync || kept.has(name) || find(name)?.key?.sync !== undefined;
    return cache.request(
      name,
      of.subject,
      (lease) => mint(of, withSync, lease),
      ({ code }) => {
        if (code === 'subject_erased') {
          clearTimeout(kept.get(name));
          kept.delete(name);
          // A call without a subject was made for the signed-in user.
          cache.drop(of.subject ?? true);
        }
        if (!find(name) && !kept.has(name)) return;
        clearTimeout(paused.get(name));
        const resume = (): unknown => paused.delete(name);
        paused.set(name, later(pauseAfterFailure, resume));
        emit({ type: 'data_key.refresh_failed', keyId: of.keyId, code });
      },
    );
  }

  function refresh(name: string, of: Partition): void {
    if (!cache.arriving(name) && !paused.has(name)) request(name, of);
  }

  function keepUp(name: string, of: Partition): void {
    const check = (): void => {
      const lease = find(name);
      if (!lease || shareUsed(limits, lease, 0) >= refreshAtShare) refresh(name, of);
      keepUp(name, of);
    };
    kept.set(name, later(limits.maxAge / 20, check));
  }

  return {
    /**
     * Takes a data key for so many messages. The caller must use it before any `await` and any other call of this object,
     * because the client can overwrite it afterwards.
     */
    take(of: Partition, length: number, sync?: boolean, messages = 1): DerivedDataKey | undefined {
      const name = partitionName(of);
      const isKept = kept.has(name);
      const lease = find(name);
      if (lease?.key && (!sync || lease.key.sync)) {
        const share = shareUsed(limits, lease, length, sync && isKept ? 1 : Infinity, messages);
        if (share <= 1) {
          spend(lease, length, messages);
          if (share > refreshAtShare && (!sync || isKept)) refresh(name, of);
          return lease.key;
        }
      }
      // With `prime({ keep: true })`, a timer checks the data key regularly. A call between two checks can find that the
      // data key has reached a limit. The client then requests a new data key here.
      if (isKept) refresh(name, of);
      return undefined;
    },
    reserve(of: Partition, length: number): Lease {
      const name = partitionName(of);
      let lease = cache.arriving(name);
      if (!lease || shareUsed(limits, lease, length) > 1) lease = request(name, of);
      spend(lease, length);
      return lease;
    },
    requestOnce: (of: Partition): Lease => cache.requestOnce((lease) => mint(of, false, lease)),
    async prime(of: Partition, keep: boolean, signal: AbortSignal | undefined): Promise<void> {
      const name = partitionName(of);
      const isPrimed = (): boolean => {
        const lease = find(name);
        return lease?.key?.sync !== undefined && shareUsed(limits, lease, 0) <= refreshAtShare;
      };
      while (!isPrimed()) {
        const lease = cache.arriving(name) ?? request(name, of, true);
        lease.callers.add({});
        await lease.use(() => undefined, signal, patience);
      }
      if (keep && !kept.has(name)) keepUp(name, of);
    },
    drop: (subject: Dropped): void => cache.drop(subject),
    close(): void {
      cache.close();
      for (const timers of [kept, paused]) {
        for (const timer of timers.values()) clearTimeout(timer);
        timers.clear();
      }
    },
  };
}

function shareUsed(
  limits: BudgetLimits,
  { key, messages, bytes }: Lease,
  length: number,
  mostByAge = Infinity,
  more = 1,
): number {
  const age = key ? (Date.now() - key.createdAt) / limits.maxAge : 0;
  const size = messages > 0 ? (bytes + length) / limits.maxBytes : 0;
  return Math.max(Math.min(age, mostByAge), (messages + more) / limits.maxMessages, size);
}

function spend(lease: Lease, length: number, messages = 1): void {
  lease.messages += messages;
  lease.bytes += length;
}
