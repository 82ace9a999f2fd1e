import { type Wrapped } from '@eaas/protocol';
import { parseHeader, replaceWrapped } from '@eaas/protocol/envelope';
import { toBase64 } from '@eaas/protocol/base64';
import { coalesce } from './batches.ts';
import type { FormOf, Rewrapped } from './call-options.ts';
import { type Ciphertext, envelopeBytes } from './ciphertext.ts';
import { asDecryption, type UnwrapOptions, wrappedOf } from './data-key-calls.ts';
import type { Settled } from './errors.ts';
import { settle } from './settled.ts';
import type { Call } from './transport.ts';

/** Rewraps ciphertexts, with one request for each data key among them. */
export type RewrapAll = <C extends Ciphertext>(
  ciphertexts: readonly C[],
  options?: UnwrapOptions,
) => Promise<Settled<Rewrapped<FormOf<C>>>[]>;

export function createRewrapAll(call: Call, patience: number): RewrapAll {
  const rewrap = coalesce(call, 'POST /v1/keys/:key_id/rewrap', patience);

  return <C extends Ciphertext>(
    ciphertexts: readonly C[],
    { wrapContext: context, signal }: UnwrapOptions = {},
  ) => {
    const asked = new Map<string, ReturnType<typeof rewrap>>();

    async function rewrapOne(ciphertext: C): Promise<Rewrapped<FormOf<C>>> {
      const bytes = envelopeBytes(ciphertext);
      const { keyId: key_id, wrappedKey } = parseHeader(bytes);
      const wrapped_key = toBase64(wrappedKey);
      const name = key_id + wrapped_key;
      const asking = asked.get(name) ?? rewrap({ key_id, wrapped_key, context }, { signal });
      asked.set(name, asking);
      const answer = await asking.catch(asDecryption);
      const wrapped: Wrapped = wrappedOf(answer, key_id);
      const envelope = answer.rewrapped ? replaceWrapped(bytes, wrapped) : bytes;
      const given = (ciphertext as { ciphertext?: unknown }).ciphertext ?? ciphertext;
      return {
        ...answer,
        ciphertext: (typeof given === 'string' ? toBase64(envelope) : envelope) as FormOf<C>,
      };
    }

    return Promise.all(ciphertexts.map((ciphertext) => settle(rewrapOne(ciphertext))));
  };
}
