// Notes that somebody signed (https://c2sp.org/signed-note), and their keys: those of audit logs and of the public log.
import { sha256 } from '@noble/hashes/sha2.js';
import { readBase64, toBase64 } from './base64.ts';
import { fromHex, toHex } from './bytes.ts';
import { toUtf8 } from './text.ts';

/** A verifier key. `keyId` is in hex. */
export interface NoteKey {
  readonly name: string;
  readonly keyId: string;
  /** 1: Ed25519, for logs. 4 and 6: cosignatures with a time, by Ed25519 and ML-DSA-44. Signatures of others are ignored. */
  readonly type: number;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

/** The type of an Ed25519 key. */
export const ed25519 = 1;

/** Returns the verifier key of a public key. */
export function noteKey(name: string, type: number, publicKey: Uint8Array<ArrayBuffer>): NoteKey {
  const digest = sha256(Uint8Array.of(...toUtf8(`${name}\n`), type, ...publicKey));
  return { name, keyId: toHex(digest.subarray(0, 4)), type, publicKey };
}

/** Writes a verifier key as text. */
export function formatNoteKey({ name, keyId, type, publicKey }: NoteKey): string {
  return `${name}+${keyId}+${toBase64(Uint8Array.of(type, ...publicKey))}`;
}

/** A line of a note that says who signed it. `bytes` is the signature without the key id, which is in hex. */
export interface NoteSignature extends Pick<NoteKey, 'name' | 'keyId'> {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a note says, and who says so. Nothing in it is verified. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

// A post-quantum signature has up to 5 kB.
const longestNote = 1_000_000;
const mostSignatures = 100;

/** Parses a signed note, or returns undefined if the text is none, is too long, or has too many signatures. */
export function parseNote(note: string): Note | undefined {
  const end = note.lastIndexOf('\n\n') + 1;
  if (end === 0 || note.length > longestNote || !note.endsWith('\n') || !note.isWellFormed()) {
    return undefined;
  }
  // oxlint-disable-next-line no-control-regex -- the format has no other control character
  if (/[\0-\x09\x0b-\x1f]/.test(note)) return undefined;
  const lines = note.slice(end + 1, -1).split('\n');
  const signatures = lines.length > mostSignatures ? [] : lines.flatMap((line) => parseSignature(line) ?? []);
  return signatures.length === lines.length ? { text: note.slice(0, end), signatures } : undefined;
}

function parseSignature(line: string): NoteSignature | undefined {
  const [, name = '', encoded = ''] = /^\u2014 ([^\s\u0085+]+) (\S+)$/.exec(line) ?? [];
  const bytes = readBase64(encoded);
  return bytes && bytes.length > 4
    ? { name, keyId: toHex(bytes.subarray(0, 4)), bytes: bytes.slice(4) }
    : undefined;
}

/** Writes the line of a signature. */
export function formatSignature({ name, keyId, bytes }: NoteSignature): string {
  return `\u2014 ${name} ${toBase64(Uint8Array.of(...fromHex(keyId), ...bytes))}\n`;
}
