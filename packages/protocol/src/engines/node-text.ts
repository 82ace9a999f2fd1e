import { Buffer } from 'node:buffer';
import { createCipheriv, type KeyObject } from 'node:crypto';
import { additionalData, type Context, requireOwn } from '../context.ts';
import { InputError } from '../errors.ts';
import { prefixLength, tagLength } from '../limits.ts';
import { randomIv } from '../bytes.ts';
import { envelopeLengthOf, writeFront } from '../envelope.ts';
import type { SealedText, TextKey } from './engine.ts';

export function sealText(dataKey: TextKey<KeyObject>, text: string, context?: Context): SealedText {
  if (!text.isWellFormed()) throw new InputError('a value must be valid Unicode (got a lone surrogate)');
  const { key, header, commitment } = dataKey;
  if (!key) throw new InputError('the data key was wiped from memory after its last use');
  const iv = randomIv();
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength });
  const body = cipher.setAAD(additionalDataOf(header, context)).update(text, 'utf8');
  cipher.final();
  // Other code can read Buffer's pool, but an envelope contains no secret.
  const envelope = Buffer.allocUnsafe(envelopeLengthOf(header.length, body.length));
  const bodyAt = writeFront(envelope, header, iv, commitment);
  envelope.set(body, bodyAt);
  envelope.set(cipher.getAuthTag(), bodyAt + body.length);
  return {
    ciphertext: envelope.toString('base64'),
    iv: envelope.toString('base64', header.length, header.length + iv.length),
  };
}

/** Consecutive rows of a column often have the same context. */
let last: { header: Uint8Array; names: string[]; values: string[]; encoded: Uint8Array } | undefined;

function additionalDataOf(header: Uint8Array, given: Context | undefined): Uint8Array {
  const context = given ?? {};
  const plain = Object.prototype.toString.call(context) === '[object Object]';
  if (plain && last?.header === header && isLast(context, last)) return last.encoded;
  // The caller can change the context object later.
  const members = plain ? { ...context } : context;
  const names = Object.keys(members);
  if (plain) requireOwn(context, names.length);
  const encoded = additionalData(header.subarray(0, prefixLength), members).slice();
  last = { header, names, values: Object.values(members), encoded };
  return encoded;
}

function isLast(context: Context, { names, values }: NonNullable<typeof last>): boolean {
  let at = 0;
  // `for … in` also visits inherited members, so a context with inherited members never equals the cached context.
  for (const name in context) {
    if (name !== names[at] || context[name] !== values[at] || !Object.hasOwn(context, name)) return false;
    at++;
  }
  return at === names.length;
}
