import type { Wrapped } from '@eaas/protocol';
import { abortable } from './abortable.ts';
import type { Engines } from './engines.ts';
import { EaasError } from './errors.ts';
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
  sync: boolean;
  /** It is renewed without being asked for. */
  keep: boolean;
  /** After a failure, when to try again ahead of time. */
  calmUntil: number;
}

/** From here on the next data key is made while the present one still serves. */
const ahead = 0.8;

/** The data keys that encrypt: one for each partition, used within its limits and then replaced. */
export class EncryptingKeys {
  readonly #slots = new Map<string, Slot>();
  readonly #engines: Engines;
  readonly #limits: Limits;
  readonly #wrap: (dek: Uint8Array, of: Partition) => Promise<Wrapped>;
  readonly #emit: Emit;
  #closed = false;

  constructor(
    engines: Engines,
    limits: Limits,
    wrap: (dek: Uint8Array, of: Partition) => Promise<Wrapped>,
    emit: Emit,
  ) {
    this.#engines = engines;
    this.#limits = limits;
    this.#wrap = wrap;
    this.#emit = emit;
  }

  /**
   * The data key for so many bytes more, to be used at once; undefined where none is ready. For a synchronous call
   * (`sync`) nothing is fetched, unless it was primed to be kept.
   */
  take(of: Partition, length: number, sync = false): LiveKey | undefined {
    const slot = this.#slots.get(nameOf(of));
    if (!slot?.current || (sync && !slot.current.sync)) return undefined;
    const used = this.#usedUp(slot, length);
    if (used > 1) return this.#retire(slot);
    slot.messages++;
    slot.bytes += length;
    if (used > ahead && (slot.keep || !sync)) this.#refresh(slot, of);
    return slot.current;
  }

  /** Uses the data key for so many bytes more, once it is there. */
  async use<T>(
    of: Partition,
    length: number,
    work: (key: LiveKey) => T,
    signal?: AbortSignal | undefined,
  ): Promise<Awaited<T>> {
    for (;;) {
      const key = this.take(of, length);
      // At once: a moment later it may have been replaced and overwritten.
      if (key) return await work(key);
      await abortable(this.#mint(this.#slotOf(of), of), signal);
    }
  }

  /** Uses a data key that encrypts this one message. */
  async useOnce<T>(of: Partition, work: (key: LiveKey) => T): Promise<Awaited<T>> {
    const key = await this.#make(of, false);
    try {
      return await work(key);
    } finally {
      endLife(key);
    }
  }

  /** Makes sure that `take` finds a data key for synchronous use; with `keep`, from now on. */
  async prime(of: Partition, keep: boolean, signal: AbortSignal | undefined): Promise<void> {
    const slot = this.#slotOf(of);
    slot.sync = true;
    slot.keep ||= keep;
    while (!slot.current?.sync || this.#usedUp(slot, 0) > ahead)
      await abortable(this.#mint(slot, of), signal);
  }

  close(): void {
    this.#closed = true;
    for (const slot of this.#slots.values()) this.#retire(slot);
    this.#slots.clear();
  }

  #slotOf(of: Partition): Slot {
    const name = nameOf(of);
    let slot = this.#slots.get(name);
    if (!slot)
      this.#slots.set(name, (slot = { messages: 0, bytes: 0, sync: false, keep: false, calmUntil: 0 }));
    return slot;
  }

  /** How much of its limits a data key has used after one message more; over 1 it may not serve. */
  #usedUp({ current, messages, bytes }: Slot, length: number): number {
    const limits = this.#limits;
    const age = (Date.now() - (current?.born ?? 0)) / limits.milliseconds;
    // A single message may be larger than the limit: then it is alone under its data key.
    const size = messages > 0 ? (bytes + length) / limits.bytes : 0;
    return Math.max(age >= 1 ? 2 : age, (messages + 1) / limits.messages, size);
  }

  #retire(slot: Slot): undefined {
    if (slot.current) endLife(slot.current);
    slot.current = undefined;
  }

  #mint(slot: Slot, of: Partition): Promise<void> {
    return (slot.minting ??= this.#make(of, slot.sync)
      .then((key) => {
        this.#retire(slot);
        slot.current = key;
        slot.messages = slot.bytes = 0;
        const { milliseconds } = this.#limits;
        later(milliseconds, () => slot.current === key && this.#retire(slot));
        if (slot.keep) later(milliseconds * ahead, () => this.#refresh(slot, of));
      })
      .finally(() => (slot.minting = undefined)));
  }

  #refresh(slot: Slot, of: Partition): void {
    if (this.#closed || slot.minting || Date.now() < slot.calmUntil) return;
    this.#mint(slot, of).catch((error: unknown) => {
      const { code } = error as EaasError;
      slot.calmUntil = Date.now() + 1_000;
      this.#emit({ type: 'data_key.refresh_failed', keyId: of.keyId, code });
      if (slot.keep) later(this.#limits.milliseconds * 0.05, () => this.#refresh(slot, of));
    });
  }

  async #make(of: Partition, sync: boolean): Promise<LiveKey> {
    const dek = crypto.getRandomValues(new Uint8Array(32));
    try {
      const wrapped = await this.#wrap(dek, of);
      const key = await bringToLife(this.#engines, dek, wrapped, sync);
      this.#emit({ type: 'data_key.minted', keyId: key.keyId, keyVersion: key.keyVersion });
      if (!this.#closed) return key;
      endLife(key);
      throw new EaasError('closed', 'this client was closed');
    } finally {
      dek.fill(0);
    }
  }
}
