import type { Wrapped } from '@eaas/protocol';
import type { Engines } from './engines.ts';
import { closedError } from './errors.ts';
import type { Emit } from './events.ts';
import { type HeldKey, hold, letGo, useHeld } from './held-key.ts';
import { bringToLife, endLife, later, type LiveKey, nameOf, type Partition, type Timer } from './live-key.ts';
import type { Limits } from './options.ts';

/** A data key, and what it has encrypted or is about to. */
interface Stock {
  readonly held: HeldKey;
  messages: number;
  bytes: number;
}

interface Slot {
  readonly name: string;
  /** How many are on their way. */
  flights: number;
  current?: Stock | undefined;
  /** The one that is on its way: however many calls wait, each has its place under it or under one more. */
  next?: Stock | undefined;
  /** Synchronous calls are to find it. */
  sync?: boolean;
  /** Of what is renewed without being asked for. */
  timer?: Timer;
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
  /** Uses a data key that is on its way for so many bytes more, once it is there. */
  use<T>(
    of: Partition,
    length: number,
    work: (key: LiveKey) => T | Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  /** Uses a data key that encrypts this one message. */
  useOnce<T>(
    of: Partition,
    work: (key: LiveKey) => T | Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
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
  const { milliseconds, patience } = limits;
  let closed = false;

  function slotOf(of: Partition): Slot {
    const name = nameOf(of.keyId, of);
    let slot = slots.get(name);
    if (!slot) slots.set(name, (slot = { name, flights: 0, calmUntil: 0 }));
    return slot;
  }

  /** How much of its limits a data key has used after one message more; over 1 it may not serve. */
  function usedUp({ held, messages, bytes }: Stock, length: number): number {
    const age = held.key ? (Date.now() - held.key.born) / milliseconds : 0;
    // A single message may be larger than the limit: then it is alone under its data key.
    const size = messages > 0 ? (bytes + length) / limits.bytes : 0;
    return Math.max(age, (messages + 1) / limits.messages, size);
  }

  function count(stock: Stock, length: number): void {
    stock.messages++;
    stock.bytes += length;
  }

  function retire(slot: Slot): undefined {
    if (slot.current) letGo(slot.current.held);
    slot.current = undefined;
  }

  /** Leaves nothing of a partition that nobody uses: there may be one for each customer. */
  function forget(slot: Slot): void {
    if (!slot.current && !slot.flights && !slot.timer) slots.delete(slot.name);
  }

  function mint(slot: Slot, of: Partition): Stock {
    slot.flights++;
    const leave = (): void => {
      slot.flights--;
      if (slot.next === stock) slot.next = undefined;
    };
    const arrived = (): void => {
      leave();
      if (closed) return letGo(held);
      retire(slot);
      slot.current = stock;
      held.timer = later(milliseconds, () => {
        retire(slot);
        forget(slot);
      });
    };
    const held = hold(make(of, slot.sync), arrived, ({ code }) => {
      leave();
      forget(slot);
      slot.calmUntil = Date.now() + 1_000;
      if (slot.current || slot.timer) emit({ type: 'data_key.refresh_failed', keyId: of.keyId, code });
    });
    const stock = { held, messages: 0, bytes: 0 };
    return (slot.next = stock);
  }

  function refresh(slot: Slot, of: Partition): void {
    if (!closed && !slot.next && Date.now() >= slot.calmUntil) mint(slot, of);
  }

  /** Looks after what is kept, twenty times in its time: whatever failed before, it is renewed. */
  function keepUp(slot: Slot, of: Partition): void {
    slot.timer = later(milliseconds / 20, () => {
      if (!slot.current || usedUp(slot.current, 0) >= ahead) refresh(slot, of);
      keepUp(slot, of);
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
    const slot = slots.get(nameOf(of.keyId, of));
    const stock = slot?.current;
    const key = stock?.held.key;
    if (!slot || !stock || !key || (sync && !key.sync)) return undefined;
    const used = usedUp(stock, length);
    if (used > 1) return retire(slot);
    count(stock, length);
    if (used > ahead && (slot.timer || !sync)) refresh(slot, of);
    return key;
  }

  return {
    take,
    async use(of, length, work, signal) {
      const slot = slotOf(of);
      let stock = slot.next;
      if (!stock || usedUp(stock, length) > 1) stock = mint(slot, of);
      count(stock, length);
      return useHeld(stock.held, work, signal, patience);
    },
    useOnce(of, work, signal) {
      const held = hold(make(of, false));
      letGo(held);
      return useHeld(held, work, signal, patience);
    },
    async prime(of, keep, signal) {
      const slot = slotOf(of);
      slot.sync = true;
      while (!slot.current?.held.key?.sync || usedUp(slot.current, 0) > ahead) {
        await useHeld((slot.next ?? mint(slot, of)).held, () => undefined, signal, patience);
      }
      if (keep && !slot.timer) keepUp(slot, of);
    },
    close() {
      closed = true;
      for (const slot of slots.values()) {
        retire(slot);
        clearTimeout(slot.timer);
      }
      slots.clear();
    },
  };
}
