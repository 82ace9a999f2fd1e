// Checkpoints of tenants: notes that state the head of an audit chain, signed with a key of the tenant.
import { attempt } from './bytes.ts';
import {
  LogProofError,
  parseNoteKey,
  treeHeadText,
  verifyCheckpoint,
  type VerifyEd25519,
} from './log/tlog.ts';
import { ed25519, type NoteKey, noteKey } from './signed-note.ts';

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
  const key = attempt(() => parseNoteKey(text));
  const [, tenantId] = /^eaas\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(key?.name ?? '') ?? [];
  return key?.type === ed25519 && tenantId ? { tenantId, ...key } : undefined;
}

const originOf = (tenantId: string): string => `eaas.audit-chain.v1/${tenantId}`;

/** Returns the text that a checkpoint signs. */
export const checkpointText = (tenantId: string, { id, hash }: ChainHead): string =>
  treeHeadText({ origin: originOf(tenantId), size: id, root: hash });

/** Returns the head that a checkpoint states, or undefined unless it has one signature of the verifier key, which is valid. */
export async function openTenantCheckpoint(
  note: string,
  verifier: Verifier,
  verifyEd25519: VerifyEd25519,
): Promise<ChainHead | undefined> {
  try {
    const { origin, size, root, signatures } = await verifyCheckpoint(note, [verifier], verifyEd25519);
    const isOurs = origin === originOf(verifier.tenantId) && signatures.length === 1;
    return isOurs ? { id: size, hash: root } : undefined;
  } catch (error) {
    if (error instanceof LogProofError) return undefined;
    throw error;
  }
}
