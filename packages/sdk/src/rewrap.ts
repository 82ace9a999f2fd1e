import { parseHeader, replaceWrapped } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import type { Rewrapped } from './call-options.ts';
import { type Ciphertext, envelopeBytes } from './ciphertext.ts';
import type { DataKeyCalls, UnwrapOptions } from './data-key-calls.ts';
import type { Settled } from './errors.ts';
import { settle } from './settled.ts';

/** Rewraps ciphertexts, with one request for each data key among them. */
export function rewrapAll(
  calls: DataKeyCalls,
  ciphertexts: readonly Ciphertext[],
  options: UnwrapOptions | undefined,
): Promise<Settled<Rewrapped>[]> {
  const asked = new Map<string, ReturnType<DataKeyCalls['rewrap']>>();

  async function rewrapOne(ciphertext: Ciphertext): Promise<Rewrapped> {
    const bytes = envelopeBytes(ciphertext);
    const header = parseHeader(bytes);
    const name = header.keyId + toBase64(header.wrappedKey);
    const asking = asked.get(name) ?? calls.rewrap(header, options);
    asked.set(name, asking);
    const { rewrapped, ...wrapped } = await asking;
    const envelope = rewrapped ? replaceWrapped(bytes, wrapped) : bytes;
    const given = (ciphertext as { ciphertext?: unknown }).ciphertext ?? ciphertext;
    return {
      ciphertext: typeof given === 'string' ? toBase64(envelope) : envelope,
      wrapped_key: toBase64(wrapped.wrappedKey),
      key_id: wrapped.keyId,
      key_version: wrapped.keyVersion,
      rewrapped,
    };
  }

  return Promise.all(ciphertexts.map((ciphertext) => settle(rewrapOne(ciphertext))));
}
