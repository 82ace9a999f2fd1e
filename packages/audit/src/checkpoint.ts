// Checkpoints: what the service signs about the newest entry of a log.
import { InputError } from '@eaas/protocol';
import { toHex, callback, requireOptions } from '@eaas/protocol/internal';
import { parseCheckpoint, parseVerifierKey, type Verifier } from '@eaas/protocol/internal-log';
import type { AuditHead } from './entry.ts';

/** Returns whether an Ed25519 signature (RFC 8032) of a message is valid under a public key of 32 bytes. */
export type VerifySignature = (
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
) => boolean | Promise<boolean>;

/** Verifies with WebCrypto. */
export const verifyEd25519: VerifySignature = async (publicKey, signature, message) => {
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']).catch(() => {
    throw new InputError(
      'this platform cannot verify Ed25519 signatures: take a newer one, or pass the option `verifySignature`',
    );
  });
  return crypto.subtle.verify('Ed25519', key, signature, message);
};

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
 * const { id, checkpoint, verifier_key } = await eaas.audit.checkpoint();
 * const head = await openCheckpoint(checkpoint, verifier_key);
 * console.log(head?.id === id); // true
 * ```
 */
export async function openCheckpoint(
  note: string,
  verifierKey: string,
  options: { readonly verifySignature?: VerifySignature | undefined } = {},
): Promise<StatedHead | undefined> {
  requireOptions({ verifySignature: callback }, options, 'openCheckpoint');
  const { verifySignature = verifyEd25519 } = options;
  const verifier = readVerifierKey(verifierKey);
  const found = typeof note === 'string' ? parseCheckpoint(note, verifier) : undefined;
  if (!found || !(await verifySignature(verifier.publicKey, found.signature, found.signed))) return undefined;
  return { tenant_id: verifier.tenantId, id: found.id, hash: toHex(found.hash) };
}

function readVerifierKey(text: string): Verifier {
  const verifier = parseVerifierKey(text);
  if (verifier) return verifier;
  throw new InputError(
    'the verifier key is not valid: pass the whole text `eaas/<tenant id>+<key id>+<base64>`',
  );
}
