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
export function formatCheckpoint({ tenantId, keyId }: KeyName, text: string, signature: Uint8Array): string {
  return `${text}\n\u2014 ${nameOf(tenantId)} ${toBase64(Uint8Array.of(...fromHex(keyId), ...signature))}\n`;
}

/** Reads a checkpoint, or returns undefined if another verifier key signed it. Does not verify the signature. */
export function parseCheckpoint(note: string, { tenantId, keyId }: KeyName) {
  const [, text = '', origin, id, encoded = '', lines = ''] =
    /^((.+)\n(0|[1-9]\d*)\n(.+)\n)\n((?:\u2014 [^\s+]+ \S+\n)+)$/u.exec(note) ?? [];
  const hash = readBase64(encoded);
  if (origin !== originOf(tenantId) || !Number.isSafeInteger(Number(id)) || hash?.length !== 32)
    return undefined;
  const signatures = lines.trimEnd().split('\n').map(parseSignature);
  const own = signatures.filter((each) => each?.name === nameOf(tenantId) && each.keyId === keyId);
  const signature = own[0]?.bytes;
  if (signature?.length !== 64 || own.length > 1 || signatures.includes(undefined)) return undefined;
  return note.isWellFormed() ? { id: Number(id), hash, signed: toUtf8(text), signature } : undefined;
}

function parseSignature(line: string) {
  const [, name = '', encoded = ''] = line.split(' ');
  const bytes = readBase64(encoded);
  return bytes && { name, keyId: toHex(bytes.subarray(0, 4)), bytes: bytes.slice(4) };
}
