import { readBase64, toBase64 } from './base64.ts';
import { fromHex, toHex } from './bytes.ts';
import { toUtf8 } from './text.ts';

// A checkpoint is a C2SP signed note (https://c2sp.org/signed-note). The signed text is the head of an audit chain.

/** The id and the hash of an audit entry. */
export interface ChainHead {
  readonly id: number;
  readonly hash: Uint8Array;
}

/** The tenant, the id and the public key that checkpoints are verified with. */
export interface Verifier {
  readonly tenantId: string;
  readonly keyId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

type KeyName = Pick<Verifier, 'tenantId' | 'keyId'>;

const ed25519 = 1; // the number of the signature type in signed-note

const nameOf = (tenantId: string): string => `eaas/${tenantId}`;
const originOf = (tenantId: string): string => `eaas.audit-chain.v1/${tenantId}`;

/** Returns the bytes whose SHA-256 begins with the id of a verifier key. */
export function keyIdInput(tenantId: string, publicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(...toUtf8(`${nameOf(tenantId)}\n`), ed25519, ...publicKey);
}

/** Writes a verifier key as text. */
export function formatVerifierKey({ tenantId, keyId, publicKey }: Verifier): string {
  return `${nameOf(tenantId)}+${keyId}+${toBase64(Uint8Array.of(ed25519, ...publicKey))}`;
}

/** Parses the text of a verifier key. Does not check that the key id belongs to the public key. */
export function parseVerifierKey(text: string): Verifier | undefined {
  const [, tenantId = '', keyId = '', encoded = ''] =
    /^eaas\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  const key = readBase64(encoded);
  return key?.length === 33 && key[0] === ed25519 ? { tenantId, keyId, publicKey: key.slice(1) } : undefined;
}

/** Returns the text that a checkpoint signs. */
export function checkpointText(tenantId: string, { id, hash }: ChainHead): string {
  return `${originOf(tenantId)}\n${id}\n${toBase64(hash)}\n`;
}

/** Writes a checkpoint: the signed text with its signature. */
export function formatCheckpoint(
  { tenantId, keyId }: KeyName,
  text: string,
  signature: Uint8Array<ArrayBuffer>,
): string {
  return `${text}\n${formatSignature({ name: nameOf(tenantId), keyId, bytes: signature })}`;
}

/** Reads a checkpoint, or returns undefined if another verifier key signed it. Does not verify the signature. */
export function parseCheckpoint(note: string, { tenantId, keyId }: KeyName) {
  const { text = '', signatures = [] } = parseNote(note) ?? {};
  const [, origin, id, encoded = ''] = /^(.+)\n(0|[1-9]\d*)\n(.+)\n$/.exec(text) ?? [];
  const hash = readBase64(encoded);
  if (origin !== originOf(tenantId) || !Number.isSafeInteger(Number(id)) || hash?.length !== 32)
    return undefined;
  const [own, ...more] = signatures.filter((each) => each.name === nameOf(tenantId) && each.keyId === keyId);
  if (own?.bytes.length !== 64 || more.length > 0) return undefined;
  return { id: Number(id), hash, signed: toUtf8(text), signature: own.bytes };
}

/** A line of a note that says who signed it. `bytes` is the signature without the key id, which is in hex. */
export interface NoteSignature {
  readonly name: string;
  readonly keyId: string;
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
  if (end === 0 || note.length > longestNote || !note.endsWith('\n') || !note.isWellFormed())
    return undefined;
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
