// `client.rewrap`: moves ciphertexts under the newest version of their key, with one request for those that share a data key.
import { toBase64 } from '@eaas/protocol/internal-base64';
import { parseHeader, replaceWrapped, type Wrapped } from '@eaas/protocol/internal';
import { type Ciphertext, contextOf, envelopeBytes } from '../data-keys/ciphertext.ts';
import type { Erasures } from '../data-keys/erasures.ts';
import { asDecryption, type UnwrapOptions, unwrapOptions, wrappedOf } from '../data-keys/calls.ts';
import { type Settled, settleEach } from '../errors.ts';
import { type Caller, requireCall, requireSubjectMatch } from '../caller.ts';
import { coalesce } from '../http/batches.ts';
import type { Call, Patience } from '../http/transport.ts';

export type FormOf<C extends Ciphertext> = C extends { readonly ciphertext: infer T }
  ? T
  : C extends string
    ? string
    : C;

/** The result of `rewrap`: a ciphertext whose data key is wrapped under the newest version of its key. */
export interface Rewrapped<C = string | Uint8Array> extends Pick<Wrapped, 'keyId' | 'keyVersion'> {
  readonly ciphertext: C;
  /** False if the data key was already wrapped under the newest version of its key: what is stored needs no change. */
  readonly rewrapped: boolean;
}

export function createRewrapAll(call: Call, patience: Patience, erasures: Erasures) {
  const rewrap = coalesce(call, 'POST /v1/keys/:key_id/rewrap', patience);

  return async <C extends Ciphertext>(
    ciphertexts: readonly C[],
    caller: Caller,
    options: UnwrapOptions = {},
  ): Promise<Settled<Rewrapped<FormOf<C>>>[]> => {
    requireCall(unwrapOptions, options, 'rewrap', caller);
    const { signal, subject } = options;
    const { user, signsIn } = caller;
    const context = contextOf(options.wrapContext);
    const requests = new Map<string, ReturnType<typeof rewrap>>();
    return settleEach(ciphertexts, async (ciphertext) => {
      const bytes = envelopeBytes(ciphertext);
      const { keyId, wrappedKey } = parseHeader(bytes);
      // The data key of an intake writer becomes one of the subject.
      if (wrappedKey[0] !== 2) requireSubjectMatch(wrappedKey, subject, signsIn);
      const input = { key_id: keyId, wrapped_key: toBase64(wrappedKey), context, subject, user };
      const name = keyId + input.wrapped_key;
      const request = requests.get(name) ?? erasures.ask(subject, () => rewrap(input, { signal }));
      requests.set(name, request);
      const output = await request.catch(asDecryption);
      const wrapped = wrappedOf(output);
      const envelope = output.rewrapped ? replaceWrapped(bytes, wrapped) : bytes;
      const given = (ciphertext as { ciphertext?: unknown }).ciphertext ?? ciphertext;
      const form = typeof given === 'string' ? toBase64(envelope) : envelope;
      const { keyVersion } = wrapped;
      return { ciphertext: form as FormOf<C>, keyId, keyVersion, rewrapped: output.rewrapped };
    });
  };
}
