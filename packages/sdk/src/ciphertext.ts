import {
  type Context,
  type DataKey,
  type EngineMode,
  FormatError,
  InputError,
  type Outcome,
  sealUnder,
  toUtf8,
} from '@eaas/protocol';
import { envelopeLength } from '@eaas/protocol/envelope';
import { toBase64, viewBase64 } from '@eaas/protocol/base64';
import type { LiveKey } from './live-key.ts';

/** What `encrypt` answers. `ciphertext` alone is enough to store; the rest are copies of its parts. */
export interface Bundle {
  readonly ciphertext: string;
  readonly wrapped_key: string;
  readonly iv: string;
  readonly key_id: string;
  readonly key_version: number;
}

/** What can be decrypted: the `ciphertext` of a bundle, the bundle itself, or the envelope's bytes. */
export type Ciphertext = string | Uint8Array | { readonly ciphertext: string | Uint8Array };

/** The bytes of a ciphertext. Throws FormatError when it is none. */
export function envelopeBytes(given: Ciphertext): Uint8Array {
  const ciphertext = (given as { readonly ciphertext?: string | Uint8Array } | null)?.ciphertext ?? given;
  if (ciphertext instanceof Uint8Array) return ciphertext;
  if (typeof ciphertext !== 'string') throw new InputError('a ciphertext is text, bytes or a bundle');
  const bytes = viewBase64(ciphertext);
  if (!bytes) throw new FormatError('not an envelope: the ciphertext is not canonical base64');
  return bytes;
}

/** Throws InputError for what is neither bytes nor text without lone surrogates. */
export function requireValue(value: string | Uint8Array): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new InputError('the value has a lone surrogate');
  } else if (!(value instanceof Uint8Array)) throw new InputError('a value is a string or a Uint8Array');
}

/** Seals a value under a data key: the envelope. */
export function sealBytes<Mode extends EngineMode>(
  _: LiveKey,
  dataKey: DataKey<Mode>,
  value: string | Uint8Array,
  context: Context | undefined,
): Outcome<Mode, Uint8Array> {
  return sealUnder(dataKey, typeof value === 'string' ? toUtf8(value) : value, context);
}

/** Seals a value under a data key: the bundle. */
export function sealBundle<Mode extends EngineMode>(
  key: LiveKey,
  dataKey: DataKey<Mode>,
  value: string | Uint8Array,
  context: Context | undefined,
): Outcome<Mode, Bundle> {
  const { engine } = dataKey;
  const { wrappedText: wrapped_key, keyId: key_id, keyVersion: key_version } = key;
  if (typeof value === 'string' && engine.sealText) {
    const { ciphertext, iv } = engine.sealText(dataKey, value, context);
    return { ciphertext, wrapped_key, iv, key_id, key_version } as Outcome<Mode, Bundle>;
  }
  const plaintext = typeof value === 'string' ? toUtf8(value) : value;
  const length = envelopeLength(dataKey, plaintext.length);
  const room = length > roomLength ? undefined : (rooms.pop() ?? new Uint8Array(roomLength));
  const form = (envelope: Uint8Array, iv: Uint8Array): Bundle => {
    const ciphertext = toBase64(envelope);
    if (room && rooms.length < mostRooms) rooms.push(room);
    return { ciphertext, wrapped_key, iv: toBase64(iv), key_id, key_version };
  };
  return sealUnder(dataKey, plaintext, context, form, room?.subarray(0, length));
}

// Memory for envelopes that are spelled and let go: made anew for each, it would be most of the garbage in a browser.
const rooms: Uint8Array<ArrayBuffer>[] = [];
const mostRooms = 100;
const roomLength = 4_096;
