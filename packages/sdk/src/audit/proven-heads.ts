import { InputError } from '@eaas/protocol';
import type { VerifiedProof } from '@eaas/protocol/internal-log';
import { having, requireKind } from '@eaas/protocol/internal-options';
import { load } from '../errors.ts';
import type { AuditSource, CheckOptions } from './check.ts';
import type { AuditHead } from './checkpoint.ts';
import { addFinding, type AuditFinding } from './findings.ts';
import { type AuditState, initialState } from './state.ts';

// A round with a policy asks for the newest proof before it reads the chain, which must then have each proven head.

/** What a round learns from the public log, before it reads the chain. */
export interface ProvenHeads {
  /** The newest proof, if it is valid. */
  readonly newest: (VerifiedProof & { readonly proof: string }) | undefined;
  /** The proofs that the app kept, and then the newest. */
  readonly heads: readonly VerifiedProof[];
  /** Whether the service has no proof at all. */
  readonly isMissing: boolean;
  readonly findings: readonly AuditFinding[];
}

const noProofs: ProvenHeads = { newest: undefined, heads: [], isMissing: false, findings: [] };

/** Asks for the newest proof, if the app passed a policy. */
export async function provenHeads(audit: AuditSource['audit'], options: CheckOptions): Promise<ProvenHeads> {
  const { policy, proofs = [] } = options;
  if (policy === undefined) {
    if (proofs.length > 0) throw new InputError('`proofs` needs the option `policy`, to verify them');
    return noProofs;
  }
  requireKind(
    having('an object with `proof`, if you pass `policy`', 'proof'),
    audit,
    '`audit` of the first argument',
  );
  const { takeProofs } = await load('audit', import('./take-proofs.ts'));
  return takeProofs(audit, options);
}

/** Reports what the proofs alone show, and returns the heads that the chain must have. */
export function compareProofs(
  { heads, isMissing, findings: own }: Omit<ProvenHeads, 'newest'>,
  { tenant_id, witnessed }: AuditState,
  signed: AuditHead,
  findings: AuditFinding[],
): readonly AuditHead[] {
  for (const { code, id, message } of own) addFinding(findings, code, id, message);
  // As long as the log has not grown, the proof of before shows all of it.
  if (isMissing && witnessed && witnessed.id !== signed.id)
    addFinding(findings, 'proof_missing', null, 'the service has no proof any more, but it had one before');
  for (const { tenantId } of heads) {
    if (tenantId === tenant_id) continue;
    addFinding(findings, 'proof_invalid', null, `a proof is of the tenant ${tenantId}`);
  }
  const wanted = [
    ...heads.filter(({ tenantId }) => tenantId === tenant_id),
    ...(witnessed ? [witnessed] : []),
  ];
  for (const { id } of wanted) {
    if (id <= signed.id) continue;
    const text = `the public log had a head with entry ${id}, but the log ends at entry ${signed.id}`;
    addFinding(findings, 'proof_mismatch', id, text);
  }
  return wanted;
}

/** Returns after which entry a round begins to read. It reads again from a proven head that no round has compared yet. */
export function startOf(
  { tenant_id, verifier_key, read, witnessed }: AuditState,
  full: boolean,
  heads: readonly AuditHead[],
): { readonly id: number; readonly hash: string | undefined } {
  const { start } = initialState(tenant_id, verifier_key);
  if (full) return start;
  const isNew = ({ id, hash }: AuditHead): boolean => id !== witnessed?.id || hash !== witnessed.hash;
  const oldest = Math.min(...heads.filter(isNew).map(({ id }) => id));
  if (oldest <= 1) return start;
  return oldest > read.id ? read : { id: oldest - 1, hash: undefined };
}

/** Returns the newest head that witnesses have seen, for the state, unless it has a newer one. */
export function witnessedBy(
  newest: ProvenHeads['newest'],
  { witnessed }: AuditState,
): Pick<AuditState, 'witnessed'> {
  if (!newest || newest.id < (witnessed?.id ?? 0)) return {};
  const { id, hash, before, proof } = newest;
  return { witnessed: { id, hash, before: before.toISOString(), proof } };
}
