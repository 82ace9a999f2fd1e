import { DecryptionError, FormatError, open, parseEnvelope, type Wrapped } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { type DataKeyOf, type ValueCalls, ConversionError } from './convert.ts';
import type { Sealing } from './plan.ts';

export type Proof = ReturnType<typeof proofBy>;

export function proofBy(calls: ValueCalls) {
  const proven = new Recent<string>();

  async function requirePlaintext(
    ciphertext: Uint8Array,
    plaintext: Uint8Array,
    { context, ...of }: Sealing,
  ): Promise<void> {
    const unwrap = (wrapped: Wrapped) => calls.unwrap(wrapped, of);
    const opened = await open(ciphertext, unwrap, { anyKey: true, context }).catch((error: unknown) => {
      throw error instanceof DecryptionError || error instanceof FormatError ? unverified() : error;
    });
    const isSame = toBase64(opened) === toBase64(plaintext);
    opened.fill(0);
    if (!isSame) throw unverified();
  }

  return {
    async requireSameDataKey(one: Wrapped, other: Wrapped, of: DataKeyOf): Promise<void> {
      const keys = await Promise.all([one, other].map((wrapped) => calls.unwrap(wrapped, of)));
      const [first, second] = keys.map(toBase64);
      for (const key of keys) key.fill(0);
      if (first !== second) throw unverified();
    },

    async requireOpens(ciphertext: Uint8Array, plaintext: Uint8Array, sealing: Sealing): Promise<void> {
      const envelope = parseEnvelope(ciphertext);
      const name = toBase64(ciphertext.subarray(0, envelope.length));
      const commitment = toBase64(envelope.commitment);
      const check = () => requirePlaintext(ciphertext, plaintext, sealing);
      let isChecked = false;
      const first = proven.getOrAdd(name, async () => {
        isChecked = true;
        await check();
        return commitment;
      });
      if (isChecked) await first;
      else if ((await first.catch(() => undefined)) !== commitment) await check();
    },
  };
}

function unverified(): ConversionError {
  return new ConversionError('not_verified');
}

const most = 10_000;

export class Recent<T> {
  readonly #entries = new Map<string, Promise<T>>();

  getOrAdd(name: string, create: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(name);
    const promise = known ?? create();
    this.#entries.delete(name);
    this.#entries.set(name, promise);
    if (!known) promise.catch(() => this.#entries.delete(name));
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > most && oldest !== undefined) this.#entries.delete(oldest);
    return promise;
  }
}
