// Checkpoints of tenants: notes that state the head of an audit chain, signed with a key of the tenant.
import { readBase64 } from './base64.ts';
import {
  ed25519,
  formatNoteKey,
  formatSignature,
  type NoteKey,
  noteKey,
  parseNote,
  parseStatement,
  statement,
} from './signed-note.ts';
import { toUtf8 } from './text.ts';

/** The id and the hash of an audit entry. */
export interface ChainHead {
  readonly id: number;
  readonly hash: Uint8Array;
}

/** The key that the checkpoints of a tenant are verified with. */
export interface Verifier extends NoteKey {
  readonly tenantId: string;
}

export function tenantVerifier(tenantId: string, publicKey: Uint8Array<ArrayBuffer>): Verifier {
  return { tenantId, ...noteKey(`eaas/${tenantId}`, ed25519, publicKey) };
}

/** Parses the text of a verifier key. Returns undefined for any other text. */
export function parseVerifierKey(text: string): Verifier | undefined {
  const [, tenantId = '', encoded = ''] =
    /^eaas\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\+[0-9a-f]{8}\+(.+)$/.exec(text) ?? [];
  const key = readBase64(encoded);
  if (key?.length !== 33 || key[0] !== ed25519) return undefined;
  const verifier = tenantVerifier(tenantId, key.slice(1));
  return formatNoteKey(verifier) === text ? verifier : undefined;
}

const originOf = (tenantId: string): string => `eaas.audit-chain.v1/${tenantId}`;

/** Returns the text that a checkpoint signs. */
export function checkpointText(tenantId: string, { id, hash }: ChainHead): string {
  return statement(originOf(tenantId), id, hash);
}

/** Writes a checkpoint: the signed text with its signature. */
export function formatCheckpoint(
  { name, keyId }: Verifier,
  text: string,
  bytes: Uint8Array<ArrayBuffer>,
): string {
  return `${text}\n${formatSignature({ name, keyId, bytes })}`;
}

/** Reads a checkpoint, or returns undefined if another verifier key signed it. Does not verify the signature. */
export function parseCheckpoint(note: string, { tenantId, name, keyId }: Verifier) {
  const { text = '', signatures = [] } = parseNote(note) ?? {};
  const stated = parseStatement(text);
  const [own, ...more] = signatures.filter((each) => each.name === name && each.keyId === keyId);
  if (stated?.origin !== originOf(tenantId) || own?.bytes.length !== 64 || more.length > 0) return undefined;
  return { id: stated.count, hash: stated.hash, signed: toUtf8(text), signature: own.bytes };
}
