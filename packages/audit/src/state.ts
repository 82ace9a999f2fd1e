// What a check hands to the next one, so that it reads only what was added since.
import { InputError } from '@eaas/protocol';
import type { KnownFacts } from '@eaas/protocol/internal-log';
import { type AuditHead, genesisOf, isHead } from './entry.ts';

/**
 * Where a check ended, as plain JSON without secrets. Keep it where the operator of the service cannot write: anyone who
 * can change it can hide changes of the log.
 */
export interface AuditState {
  readonly version: 1;
  readonly tenant_id: string;
  /** The pinned verifier key, from the option `verifierKey` or from the service's response in the first round. */
  readonly verifier_key: string;
  /**
   * The entry where the verified chain starts. Its id is 0 unless the log was purged before the first check. The
   * content of purged entries was never checked.
   */
  readonly start: AuditHead;
  /** The last entry that was read and follows in the chain. */
  readonly read: AuditHead;
  /** What the log had said up to `read` that later entries must not contradict. Absent in states of earlier versions. */
  readonly said?: KnownFacts | undefined;
  /** The signed checkpoint in which the last check ended, kept as proof. Null until the first check ends. */
  readonly checkpoint: string | null;
  /** The newest head that enough witnesses have seen, and the proof of it. Absent until a check with `policy` has one. */
  readonly witnessed?: WitnessedHead | undefined;
}

/** A head of the log that witnesses have seen. */
export interface WitnessedHead extends AuditHead {
  /** The time by which enough witnesses had seen it, such as `2026-11-25T14:05:00.000Z`. */
  readonly before: string;
  /** The proof, for `verifyProof`. */
  readonly proof: string;
}

const areFacts = (facts: unknown): boolean =>
  Array.isArray(facts) &&
  facts.every(([about, , id]) => typeof about === 'string' && Number.isSafeInteger(id));

/** The state before anything was read. */
export function initialState(tenantId: string, verifierKey: string): AuditState {
  const start = genesisOf(tenantId);
  return { version: 1, tenant_id: tenantId, verifier_key: verifierKey, start, read: start, checkpoint: null };
}

/** Returns the state that an app kept, or null for none. Throws InputError for any other value. */
export function readState(kept: unknown): AuditState | null {
  if (kept === undefined || kept === null) return null;
  const state = kept as Partial<AuditState>;
  const isState =
    state.version === 1 &&
    typeof state.tenant_id === 'string' &&
    typeof state.verifier_key === 'string' &&
    (state.checkpoint === null || typeof state.checkpoint === 'string') &&
    [state.start, state.read].every(isHead) &&
    (state.said === undefined || (Number.isSafeInteger(state.said.since) && areFacts(state.said.facts))) &&
    (state.witnessed === undefined || (isHead(state.witnessed) && typeof state.witnessed.proof === 'string'));
  if (isState) return state as AuditState;
  // To begin without a state would trust the log that is shown now, and could not notice that older entries were changed.
  throw new InputError(
    '`state` must be the `state` of an earlier report, or null before the first check (got another value)',
  );
}
