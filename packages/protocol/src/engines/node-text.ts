// Encrypts a text in Node in one step. Other values and platforms take data-key.ts, envelope.ts and an engine.
import { Buffer } from 'node:buffer';
import { createCipheriv, type KeyObject } from 'node:crypto';
import { additionalData, type Context, encoded } from '../context.ts';
import { requireKey } from '../data-key.ts';
import { InputError } from '../errors.ts';
import { prefixLength, tagLength } from '../format-sizes.ts';
import { randomIv } from '../bytes.ts';
import { envelopeLength, writeFront } from '../envelope.ts';
import type { TextKey } from './engine.ts';

export function sealText(dataKey: TextKey<KeyObject>, text: string, context?: Context): string {
  if (!text.isWellFormed()) throw new InputError('a value must be valid Unicode (got a lone surrogate)');
  const { header, commitment } = dataKey;
  const key = requireKey(dataKey);
  const iv = randomIv();
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength });
  const body = cipher.setAAD(additionalDataOf(dataKey, context)).update(text, 'utf8');
  cipher.final();
  const length = envelopeLength(header.length, body.length);
  // Memory that is used again holds an envelope, which contains no secret.
  const envelope = length > room.length ? Buffer.allocUnsafe(length) : room;
  const bodyAt = writeFront(envelope, header, iv, commitment);
  envelope.set(body, bodyAt);
  envelope.set(cipher.getAuthTag(), bodyAt + body.length);
  return envelope.toString('base64', 0, length);
}

const room = /* @__PURE__ */ Buffer.allocUnsafeSlow(4_096);

let last: { readonly header: Uint8Array; readonly context: object; readonly aad: Uint8Array } | undefined;

function additionalDataOf({ header, aad }: TextKey<KeyObject>, given: Context | undefined): Uint8Array {
  if (given === undefined) return aad;
  const context = encoded(given);
  if (last?.header !== header || last.context !== context) {
    last = { header, context, aad: additionalData(header.subarray(0, prefixLength), given).slice() };
  }
  return last.aad;
}
