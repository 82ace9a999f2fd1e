import { type Envelope, parseEnvelope } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { toHex } from '@eaas/protocol/internal';

export type PartName =
  | 'magic'
  | 'version'
  | 'key_id'
  | 'key_version'
  | 'length'
  | 'wrapped_key'
  | 'iv'
  | 'commitment'
  | 'ciphertext'
  | 'tag';

export interface Part {
  readonly name: PartName;
  readonly title: string;
  readonly start: number;
  readonly end: number;
  /** If a base64 character has bits of two parts, the character belongs to the earlier part. */
  readonly text: string;
  readonly shows: string;
  readonly about: string;
}

const tagLength = 16;

type Described = Pick<Part, 'name' | 'title' | 'about'> & {
  readonly length: (envelope: Envelope) => number;
  readonly shows: (envelope: Envelope, bytes: Uint8Array) => string;
};

const fields: readonly Described[] = [
  {
    name: 'magic',
    title: 'Magic',
    about:
      'Marks the value as an envelope. Every stored value begins with “eaas”, so plaintext is easy to recognise.',
    length: () => 3,
    shows: (_, bytes) => toHex(bytes),
  },
  {
    name: 'version',
    title: 'Version',
    about: 'The version of the format: 1 is a value, 2 is a stream.',
    length: () => 1,
    shows: ({ version }) => String(version),
  },
  {
    name: 'key_id',
    title: 'Key id',
    about:
      'The key of the service that wrapped the data key. The reader refuses any key that it did not expect.',
    length: () => 16,
    shows: ({ keyId }) => keyId,
  },
  {
    name: 'key_version',
    title: 'Key version',
    about: 'The version of that key. Rotation makes a new version, and old ones still unwrap.',
    length: () => 4,
    shows: ({ keyVersion }) => String(keyVersion),
  },
  {
    name: 'length',
    title: 'Length',
    about: 'How many bytes the wrapped key has.',
    length: () => 2,
    shows: ({ wrappedKey }) => String(wrappedKey.length),
  },
  {
    name: 'wrapped_key',
    title: 'Wrapped key',
    about:
      'The data key, encrypted by the service. Only the service can unwrap it, and it records each time.',
    length: ({ wrappedKey }) => wrappedKey.length,
    shows: (_, bytes) => toHex(bytes),
  },
  {
    name: 'iv',
    title: 'IV',
    about: 'Twelve random bytes. Two encryptions of the same value therefore differ.',
    length: ({ iv }) => iv.length,
    shows: (_, bytes) => toHex(bytes),
  },
  {
    name: 'commitment',
    title: 'Commitment',
    about:
      'Binds the envelope to one data key, so nobody can build an envelope that decrypts under two data keys.',
    length: ({ commitment }) => commitment.length,
    shows: (_, bytes) => toHex(bytes),
  },
  {
    name: 'ciphertext',
    title: 'Ciphertext',
    about: 'Your value, encrypted with AES-256-GCM in this page. It is as long as the value.',
    length: ({ body }) => body.length - tagLength,
    shows: (_, bytes) => toHex(bytes),
  },
  {
    name: 'tag',
    title: 'Tag',
    about:
      'Authenticates the ciphertext together with its key and its context. Decryption fails if one bit is changed.',
    length: () => tagLength,
    shows: (_, bytes) => toHex(bytes),
  },
];

export function partsOf(stored: string): Part[] {
  const bytes = fromBase64(stored);
  const envelope = parseEnvelope(bytes);
  let start = 0;
  return fields.map(({ name, title, about, length, shows }) => {
    const end = start + length(envelope);
    const text = stored.slice(characterAt(start), end === bytes.length ? undefined : characterAt(end));
    const part = { name, title, about, start, end, text, shows: shows(envelope, bytes.subarray(start, end)) };
    start = end;
    return part;
  });
}

export function flipBit(stored: string, { start, end }: Pick<Part, 'start' | 'end'>): string {
  const bytes = fromBase64(stored);
  const at = Math.floor((start + end - 1) / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return toBase64(bytes);
}

export function differencesOf(before: string, after: string): number[] {
  return Array.from(before).flatMap((character, index) => (after[index] === character ? [] : [index]));
}

export function contains(text: string, value: string): boolean {
  const bytes = new TextEncoder().encode(value);
  // Omits the base64 padding and the last character before it. In the base64 of a longer value, this last character can
  // differ, because it also contains bits of the following byte.
  const encoded = toBase64(bytes).replace(/.?=+$/, '');
  const spellings = [value, JSON.stringify(value).slice(1, -1), encoded, toHex(bytes)];
  return spellings.some((spelling) => text.includes(spelling));
}

function characterAt(byte: number): number {
  return Math.ceil((byte * 8) / 6);
}
