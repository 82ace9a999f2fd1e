// Checkpoints: what the service signs about the newest entry of a log.
import { InputError } from '@eaas/protocol';
import { requireKind, type Rule, toHex } from '@eaas/protocol/internal';
import { openTenantCheckpoint, parseVerifierKey } from '@eaas/protocol/internal-log';
import type { AuditHead } from './entry.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns whether an Ed25519 signature (RFC 8032) of a message is valid under a public key of 32 bytes. */
export async function verifyEd25519(publicKey: Bytes, signature: Bytes, message: Bytes): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']).catch(() => {
    throw new InputError('this platform cannot verify Ed25519 signatures: take a newer one');
  });
  return crypto.subtle.verify('Ed25519', key, signature, message);
}

export const aVerifierKey: Rule = (value) =>
  parseVerifierKey(String(value)) !== undefined || 'the whole text `eaas/<tenant id>+<key id>+<base64>`';

/** The newest entry of a tenant's audit log, as a checkpoint states it. */
export interface StatedHead extends AuditHead {
  readonly tenant_id: string;
}

/**
 * Verifies a checkpoint (a C2SP signed note) offline. Returns the newest entry of the log, as the checkpoint states it.
 * Returns undefined unless the checkpoint has exactly one signature of the verifier key, and this signature is valid.
 * Throws InputError for an invalid verifier key.
 *
 * @example
 * ```ts
 * import { openCheckpoint } from '@eaas/audit';
 *
 * const { id, checkpoint } = await eaas.audit.checkpoint();
 * const verifierKey = process.env.VERIFIER_KEY!; // noted at the start: a service that lies signs with another key
 * const head = await openCheckpoint(checkpoint, verifierKey);
 * console.log(head?.id === id); // true
 * ```
 */
export async function openCheckpoint(note: string, verifierKey: string): Promise<StatedHead | undefined> {
  requireKind(aVerifierKey, verifierKey, 'the verifier key');
  const verifier = parseVerifierKey(verifierKey);
  if (!verifier || typeof note !== 'string') return undefined;
  const head = await openTenantCheckpoint(note, verifier, verifyEd25519);
  return head && { tenant_id: verifier.tenantId, id: head.id, hash: toHex(head.hash) };
}
