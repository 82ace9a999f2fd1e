import type { Wrapped } from '@eaas/protocol';
import { abortable } from './abortable.ts';
import type { Engines } from './engines.ts';
import { closedError, type EaasError } from './errors.ts';
import type { Emit } from './events.ts';
import { bringToLife, endLife, later, type LiveKey, nameOf, type Partition } from './live-key.ts';
import type { Limits } from './options.ts';

interface Slot {
  current?: LiveKey | undefined;
  messages: number;
  bytes: number;
  /** The next one, on its way: however many calls wait, it is made once. */
  minting?: Promise<void> | undefined;
  /** Synchronous calls are to find it. */
  sync?: boolean;
  /** It is renewed without being asked for. */
  keep?: boolean;
  /** After a failure, when to try again ahead of time. */
  calmUntil: number;
}

/** From here on the next data key is made while the present one still serves. */
const ahead = 0.8;

/** The data keys that encrypt: one for each partition, used within its limits and then replaced. */
export interface EncryptingKeys {
  /**
   * The data key for so many bytes more, to be used at once; undefined where none is ready. For a synchronous call
   * (`sync`) nothing is fetched, unless it was primed to be kept.
   */
  take(of: Partition, length: number, sync?: boolean): LiveKey | undefined;
  /** Uses the data key for so many bytes more, once it is there. */
  use<T>(
    of: Partition,
    length: number,
    work: (key: LiveKey) => T | Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  /** Uses a data key that encrypts this one message. */
  useOnce<T>(of: Partition, work: (key: LiveKey) => T | Promise<T>): Promise<T>;
  /** Makes sure that `take` finds a data key for synchronous use; with `keep`, from now on. */
  prime(of: Partition, keep: boolean, signal: AbortSignal | undefined): Promise<void>;
  close(): void;
}

export function createEncryptingKeys(
  engines: Engines,
  limits: Limits,
  wrap: (dek: Uint8Array, of: Partition) => Promise<Wrapped>,
  emit: Emit,
): EncryptingKeys {
  const slots = new Map<string, Slot>();
  const { milliseconds } = limits;
  let closed = false;

  function slotOf(of: Partition): Slot {
    const name = nameOf(of);
    let slot = slots.get(name);
    if (!slot) slots.set(name, (slot = { messages: 0, bytes: 0, calmUntil: 0 }));
    return slot;
  }

  /** How much of its limits a data key has used after one message more; over 1 it may not serve. */
  function usedUp({ current, messages, bytes }: Slot, length: number): number {
    const age = (Date.now() - (current?.born ?? 0)) / milliseconds;
    // A single message may be larger than the limit: then it is alone under its data key.
    const size = messages > 0 ? (bytes + length) / limits.bytes : 0;
    return Math.max(age >= 1 ? 2 : age, (messages + 1) / limits.messages, size);
  }

  function retire(slot: Slot): undefined {
    if (slot.current) endLife(slot.current);
    slot.current = undefined;
  }

  function mint(slot: Slot, of: Partition): Promise<void> {
    return (slot.minting ??= renew(slot, of).finally(() => (slot.minting = undefined)));
  }

  async function renew(slot: Slot, of: Partition): Promise<void> {
    const key = await make(of, slot.sync);
    retire(slot);
    slot.current = key;
    slot.messages = slot.bytes = 0;
    later(milliseconds, () => slot.current === key && retire(slot));
    if (slot.keep) later(milliseconds * ahead, () => refresh(slot, of));
  }

  function refresh(slot: Slot, of: Partition): void {
    if (closed || slot.minting || Date.now() < slot.calmUntil) return;
    mint(slot, of).catch(({ code }: EaasError) => {
      slot.calmUntil = Date.now() + 1_000;
      emit({ type: 'data_key.refresh_failed', keyId: of.keyId, code });
      if (slot.keep) later(milliseconds * 0.05, () => refresh(slot, of));
    });
  }

  async function make(of: Partition, sync: boolean | undefined): Promise<LiveKey> {
    const dek = crypto.getRandomValues(new Uint8Array(32));
    try {
      const key = await bringToLife(engines, dek, await wrap(dek, of), sync);
      emit({ type: 'data_key.minted', keyId: key.keyId, keyVersion: key.keyVersion });
      if (!closed) return key;
      endLife(key);
      throw closedError();
    } finally {
      dek.fill(0);
    }
  }

  function take(of: Partition, length: number, sync?: boolean): LiveKey | undefined {
    const slot = slots.get(nameOf(of));
    if (!slot?.current || (sync && !slot.current.sync)) return undefined;
    const used = usedUp(slot, length);
    if (used > 1) return retire(slot);
    slot.messages++;
    slot.bytes += length;
    if (used > ahead && (slot.keep || !sync)) refresh(slot, of);
    return slot.current;
  }

  return {
    take,
    async use(of, length, work, signal) {
      for (;;) {
        const key = take(of, length);
        // At once: a moment later it may have been replaced and overwritten.
        if (key) return await work(key);
        await abortable(mint(slotOf(of), of), signal);
      }
    },
    async useOnce(of, work) {
      const key = await make(of, false);
      try {
        return await work(key);
      } finally {
        endLife(key);
      }
    },
    async prime(of, keep, signal) {
      const slot = slotOf(of);
      slot.sync = true;
      slot.keep ||= keep;
      while (!slot.current?.sync || usedUp(slot, 0) > ahead) await abortable(mint(slot, of), signal);
    },
    close() {
      closed = true;
      for (const slot of slots.values()) retire(slot);
      slots.clear();
    },
  };
}
