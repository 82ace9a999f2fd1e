import { InputError } from '@eaas/protocol';
import { genesisHash } from '@eaas/protocol/audit';
import { toHex } from '@eaas/protocol/internal-audit';
import type { AuditHead } from './checkpoint.ts';

/**
 * The state of an audit, as plain JSON without secrets. Anyone who can change this state can hide changes of the log.
 */
export interface AuditState {
  readonly version: 1;
  readonly tenant_id: string;
  /** The pinned verifier key, from the option `verifierKey` or from the service's response in the first round. */
  readonly verifier_key: string;
  /**
   * The entry where the verified chain starts. Its id is 0 unless the log was purged before the first round. The
   * content of purged entries was never checked.
   */
  readonly start: AuditHead;
  /**
   * The last entry that a round has read. `checkAudit` saves `read` every `saveEvery` entries, but saves `verified`
   * only at the end of a round without findings. So `read` can be later than `verified`.
   */
  readonly read: AuditHead;
  /** The last audit entry that a round has compared with a signed checkpoint. */
  readonly verified: AuditHead;
  /** The signed checkpoint for the entry in `verified`, kept as proof. Null until the first round ends. */
  readonly checkpoint: string | null;
  /** The newest head that enough witnesses have seen, and the proof of it. Absent until a round with `policy` has one. */
  readonly witnessed?: WitnessedHead | undefined;
}

/** A head of the log that witnesses have seen. */
export interface WitnessedHead extends AuditHead {
  /** The time by which enough witnesses had seen it, such as `2026-11-25T14:05:00.000Z`. */
  readonly before: string;
  /** The proof, for `verifyProof`. */
  readonly proof: string;
}

/**
 * A store for the state of an audit, such as a file, a database row or an object store. The service must not have
 * access to this store.
 */
export interface AuditStore {
  /** Returns the state that was saved last. Returns null or undefined if no state was saved. */
  load(): unknown;
  /** Saves a state. If this method throws, the round fails with the same error. */
  save(state: AuditState): void | Promise<void>;
}

export function initialState(tenantId: string, verifierKey: string): AuditState {
  const start = { id: 0, hash: toHex(genesisHash(tenantId)) };
  const heads = { start, read: start, verified: start };
  return { version: 1, tenant_id: tenantId, verifier_key: verifierKey, ...heads, checkpoint: null };
}

export function readState(loaded: unknown): AuditState | undefined {
  if (loaded === undefined || loaded === null) return undefined;
  const state = loaded as Partial<AuditState>;
  const isState =
    state.version === 1 &&
    typeof state.tenant_id === 'string' &&
    typeof state.verifier_key === 'string' &&
    (state.checkpoint === null || typeof state.checkpoint === 'string') &&
    [state.start, state.read, state.verified].every(isHead) &&
    (state.witnessed === undefined || (isHead(state.witnessed) && typeof state.witnessed.proof === 'string'));
  if (isState) return state as AuditState;
  // Throws for an invalid state instead of starting without a state. Without a state, `checkAudit` would trust the log
  // that the service returns now, and could not notice that older entries were changed.
  throw new InputError(
    '`store.load` must return the state that was passed to `store.save`, or null (got another value)',
  );
}

export function isHead(head: Partial<AuditHead> | null | undefined): boolean {
  return Number.isSafeInteger(head?.id) && /^[0-9a-f]{64}$/.test(head?.hash ?? '');
}
