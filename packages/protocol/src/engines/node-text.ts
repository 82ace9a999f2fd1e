import { Buffer } from 'node:buffer';
import { createCipheriv, type KeyObject } from 'node:crypto';
import { additionalData, type Context, requireOwn } from '../context.ts';
import { InputError } from '../errors.ts';
import { prefixLength, tagLength } from '../limits.ts';
import { randomIv } from '../bytes.ts';
import { envelopeLengthOf, writeFront } from '../envelope.ts';
import type { SealedText, TextKey } from './engine.ts';

/**
 * Encrypts a text and returns the envelope in base64, faster than separate calls of toUtf8, sealUnder and toBase64.
 * Throws InputError for a lone surrogate and for a wiped data key.
 */
export function sealText(dataKey: TextKey<KeyObject>, text: string, context?: Context): SealedText {
  // Node encodes a lone surrogate as U+FFFD, which would change the text. So text with a lone surrogate is refused.
  if (!text.isWellFormed()) throw new InputError('a value must be valid Unicode (got a lone surrogate)');
  const { key, header, commitment } = dataKey;
  if (!key) throw new InputError('the data key was wiped from memory after its last use');
  const iv = randomIv();
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength });
  const body = cipher.setAAD(additionalDataOf(header, context)).update(text, 'utf8');
  cipher.final();
  // The memory of the envelope is in Buffer's pool, which other code can read. An envelope contains no secret, so this
  // is safe.
  const envelope = Buffer.allocUnsafe(envelopeLengthOf(header.length, body.length));
  const bodyAt = writeFront(envelope, header, iv, commitment);
  envelope.set(body, bodyAt);
  envelope.set(cipher.getAuthTag(), bodyAt + body.length);
  return {
    ciphertext: envelope.toString('base64'),
    iv: envelope.toString('base64', header.length, header.length + iv.length),
  };
}

/**
 * The most recent context and its encoding. sealText caches both, because consecutive rows of a column often have the
 * same context.
 */
let last: { header: Uint8Array; names: string[]; values: string[]; encoded: Uint8Array } | undefined;

function additionalDataOf(header: Uint8Array, given: Context | undefined): Uint8Array {
  const context = given ?? {};
  // Only plain objects are cached. `additionalData` refuses arrays, Maps and other objects.
  const plain = Object.prototype.toString.call(context) === '[object Object]';
  if (plain && last?.header === header && isLast(context, last)) return last.encoded;
  // The names and values of the context are copied, because the caller can change the object later.
  const members = plain ? { ...context } : context;
  const names = Object.keys(members);
  if (plain) requireOwn(context, names.length);
  const encoded = additionalData(header.subarray(0, prefixLength), members).slice();
  last = { header, names, values: Object.values(members), encoded };
  return encoded;
}

function isLast(context: Context, { names, values }: NonNullable<typeof last>): boolean {
  let at = 0;
  // `for … in` also visits inherited members. A context with inherited members therefore never equals the cached
  // context, and requireOwn refuses it.
  for (const name in context) {
    if (name !== names[at] || context[name] !== values[at] || !Object.hasOwn(context, name)) return false;
    at++;
  }
  return at === names.length;
}
