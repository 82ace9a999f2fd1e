import {
  type Context,
  DecryptionError,
  type Envelope,
  fromUtf8,
  InputError,
  openUnder,
} from '@eaas/protocol';
import { type Header, isPromise, withBody } from '@eaas/protocol/internal';
import type { DecryptedForm } from '../options/call-options.ts';
import type { DerivedDataKey } from '../data-keys/derive.ts';

export type Decrypted = Uint8Array | string;

export const opening =
  (header: Header, bytes: Uint8Array, as: DecryptedForm | undefined, context: Context | undefined) =>
  (key: DerivedDataKey): Decrypted | Promise<Decrypted> =>
    open(key, withBody(header, bytes), as, context);

export function open(
  key: DerivedDataKey,
  envelope: Envelope,
  as: DecryptedForm | undefined,
  context: Context | undefined,
): Decrypted | Promise<Decrypted> {
  const plaintext = openUnder(key.values, envelope, context);
  if (as !== 'text') return plaintext;
  return isPromise<Uint8Array>(plaintext) ? plaintext.then(textOf) : textOf(plaintext);
}

export function requireForm(form: DecryptedForm | undefined): void {
  if (form === undefined || form === 'bytes' || form === 'text') return;
  throw new InputError("`as` must be 'bytes' or 'text'");
}

export function textOf(plaintext: Uint8Array): string {
  try {
    return fromUtf8(plaintext);
  } catch {
    throw new DecryptionError();
  }
}
