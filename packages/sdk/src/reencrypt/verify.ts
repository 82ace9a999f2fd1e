import {
  type Context,
  DecryptionError,
  FormatError,
  open,
  parseEnvelope,
  type Unwrap,
  type Wrapped,
} from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { EaasError } from '../errors.ts';
import type { Calls } from './calls.ts';
import { type Conversion, failedWith } from './convert.ts';
import type { Sealing } from './plan.ts';
import { recent } from './recent.ts';

/** Checks what is about to replace a value: undefined where it holds, else what becomes of the value. */
export interface Proof {
  /** The service unwraps the same data key from both envelopes. */
  sameDataKey(
    before: Wrapped,
    after: Wrapped,
    wrapContext: Context | undefined,
  ): Promise<Conversion | undefined>;
  /** The envelope opens to the plaintext, under the data key that the service unwraps: once for each data key. */
  opens(after: Uint8Array, plaintext: Uint8Array, sealing: Sealing): Promise<Conversion | undefined>;
}

export function proofBy(calls: Calls): Proof {
  const proven = recent<Promise<string | undefined>>();
  return {
    sameDataKey: (before, after, wrapContext) =>
      judge(async () => {
        const keys = await Promise.all([before, after].map((wrapped) => calls.unwrap(wrapped, wrapContext)));
        const [one, other] = keys.map(toBase64);
        for (const key of keys) key.fill(0);
        return one === other;
      }),
    opens: (after, plaintext, { context, wrapContext }) =>
      judge(async () => {
        const envelope = parseEnvelope(after);
        const name = toBase64(after.subarray(0, envelope.length));
        const commitment = toBase64(envelope.commitment);
        const first = proven.get(name);
        // Under the same wrapped key the same commitment says that it is the same data key.
        if (first && (await first) === commitment) return true;
        const opening = opensTo(after, plaintext, (wrapped) => calls.unwrap(wrapped, wrapContext), context);
        if (!first) {
          const forget = (): undefined => void proven.delete(name);
          proven.set(
            name,
            opening.then((same) => (same ? commitment : forget()), forget),
          );
        }
        return opening;
      }),
  };
}

async function opensTo(
  envelope: Uint8Array,
  plaintext: Uint8Array,
  unwrap: Unwrap,
  context: Context | undefined,
): Promise<boolean> {
  const opened = await open(envelope, unwrap, { anyKey: true, context });
  const same = toBase64(opened) === toBase64(plaintext);
  opened.fill(0);
  return same;
}

async function judge(check: () => Promise<boolean>): Promise<Conversion | undefined> {
  try {
    return (await check()) ? undefined : failedWith('not_verified');
  } catch (error) {
    if (error instanceof EaasError) return { kind: 'failed', error };
    if (error instanceof DecryptionError || error instanceof FormatError) return failedWith('not_verified');
    throw error;
  }
}
