import type { DataKeyCalls } from '../data-key-calls.ts';
import { later, type Timer } from '../deadline.ts';
import type { Engines } from '../engines.ts';
import type { Emit } from '../events.ts';
import type { Limits } from '../options.ts';
import { DataKeyCache } from './cache.ts';
import { deriveDataKey, type DerivedDataKey, type Partition, partitionName } from './derive.ts';
import type { Lease } from './lease.ts';

/** The budget of an encrypting data key. A data key is replaced when it reaches the first of these limits. */
export interface BudgetLimits {
  readonly maxMessages: number;
  readonly maxBytes: number;
  /** The maximum age in milliseconds. */
  readonly maxAge: number;
}

type Work<T> = (key: DerivedDataKey) => T | Promise<T>;

/** When a data key has used this share of its budget, the client requests the next data key. */
const refreshAhead = 0.8;
const pauseAfterFailure = 1_000;

/** Holds one encrypting data key per partition, and replaces a data key when its budget is spent. */
export function createEncryptingKeys(
  engines: Engines,
  { encrypt: limits, patience }: Limits,
  calls: Pick<DataKeyCalls, 'wrap'>,
  emit: Emit,
) {
  const cache = new DataKeyCache({ maxEntries: Infinity, maxAge: limits.maxAge });
  /** The partitions that `prime({ keep: true })` renews. */
  const kept = new Map<string, Timer>();
  /** The partitions whose last request for a data key failed recently. */
  const paused = new Map<string, Timer>();

  async function mint(of: Partition, withSync: boolean): Promise<DerivedDataKey> {
    const dek = crypto.getRandomValues(new Uint8Array(32));
    try {
      const key = await deriveDataKey(engines, dek, await calls.wrap(dek, of), withSync);
      emit({ type: 'data_key.minted', keyId: key.keyId, keyVersion: key.keyVersion });
      return key;
    } finally {
      dek.fill(0);
    }
  }

  function request(name: string, of: Partition, sync = false): Lease {
    const withSync = sync || kept.has(name) || cache.find(name)?.key?.sync !== undefined;
    return cache.request(
      name,
      () => mint(of, withSync),
      ({ code }) => {
        if (!cache.find(name) && !kept.has(name)) return;
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

  /**
   * Checks twenty times during the lifetime of a data key whether it needs renewal, so a failed renewal is repeated soon.
   */
  function keepUp(name: string, of: Partition): void {
    const check = (): void => {
      const lease = cache.find(name);
      if (!lease || shareUsed(limits, lease, 0) >= refreshAhead) refresh(name, of);
      keepUp(name, of);
    };
    kept.set(name, later(limits.maxAge / 20, check));
  }

  return {
    /**
     * Reserves budget for one more message and returns the data key in memory. The caller must use it immediately. Returns
     * undefined if no data key is in memory or its budget is spent. A synchronous
     * call (`sync`) does not request the next data key ahead of time, unless `keep` is set for the partition.
     */
    take(of: Partition, length: number, sync?: boolean): DerivedDataKey | undefined {
      const name = partitionName(of.keyId, of);
      const lease = cache.find(name);
      if (!lease?.key || (sync && !lease.key.sync)) return undefined;
      const share = shareUsed(limits, lease, length);
      if (share > 1) {
        cache.evict(name);
        return undefined;
      }
      spend(lease, length);
      if (share > refreshAhead && (!sync || kept.has(name))) refresh(name, of);
      return lease.key;
    },
    /** Counts one message on a data key that is arriving. Requests a data key if there is none with enough budget. */
    reserve(of: Partition, length: number): Lease {
      const name = partitionName(of.keyId, of);
      let lease = cache.arriving(name);
      if (!lease || shareUsed(limits, lease, length) > 1) lease = request(name, of);
      spend(lease, length);
      return lease;
    },
    /** Waits for a data key, and then uses it. */
    use: <T>(lease: Lease, work: Work<T>, signal: AbortSignal | undefined): Promise<T> =>
      lease.use(work, signal, patience),
    /** Requests a data key for one message. */
    requestOnce: (of: Partition): Lease => cache.requestOnce(() => mint(of, false)),
    /** Fetches a data key for synchronous use by `take`. With `keep`, renews it until the client is closed. */
    async prime(of: Partition, keep: boolean, signal: AbortSignal | undefined): Promise<void> {
      const name = partitionName(of.keyId, of);
      const isPrimed = (): boolean => {
        const lease = cache.find(name);
        return lease?.key?.sync !== undefined && shareUsed(limits, lease, 0) <= refreshAhead;
      };
      while (!isPrimed()) {
        const lease = cache.arriving(name) ?? request(name, of, true);
        await lease.use(() => undefined, signal, patience);
      }
      if (keep && !kept.has(name)) keepUp(name, of);
    },
    close(): void {
      cache.close();
      for (const timer of [...kept.values(), ...paused.values()]) clearTimeout(timer);
      kept.clear();
      paused.clear();
    },
  };
}

/**
 * Returns the share of its budget that a data key would have used after one more message of `length` bytes. If the share is
 * above 1, the data key must not encrypt that message.
 */
function shareUsed(limits: BudgetLimits, { key, messages, bytes }: Lease, length: number): number {
  const age = key ? (Date.now() - key.createdAt) / limits.maxAge : 0;
  // A single message that exceeds the whole limit gets a separate data key.
  const size = messages > 0 ? (bytes + length) / limits.maxBytes : 0;
  return Math.max(age, (messages + 1) / limits.maxMessages, size);
}

/** Counts one message. */
function spend(lease: Lease, length: number): void {
  lease.messages++;
  lease.bytes += length;
}
