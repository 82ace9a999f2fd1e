import { InputError } from '@eaas/protocol';
import { genesisHash } from '@eaas/protocol/audit';
import type { AuditHead } from './checkpoint.ts';
import { toHex } from './hex.ts';

/** What an auditor remembers: plain JSON, with nothing secret in it. Whoever can write it can blind the audit. */
export interface AuditState {
  readonly version: 1;
  readonly tenant_id: string;
  /** Pinned: given, or taken from the service the first time. */
  readonly verifier_key: string;
  /** Where the chain was recomputed from. Unless its id is 0, what was before is purged and its hash taken on trust. */
  readonly start: AuditHead;
  /** How far the chain was recomputed; beyond `verified` only while a round is under way. */
  readonly read: AuditHead;
  /** How far it was recomputed and met a signed checkpoint. */
  readonly verified: AuditHead;
  /** That checkpoint: proof, should the service ever say otherwise. Null until the first round has ended. */
  readonly checkpoint: string | null;
}

/** Where the state is kept, outside the service: a file, a row, an object. */
export interface AuditStore {
  /** What was saved last, or nothing. */
  load(): unknown;
  /** Called with each state that was reached. What it throws ends the round. */
  save(state: AuditState): void | Promise<void>;
}

/** What is known before anything was read. */
export function initialState(tenantId: string, verifierKey: string): AuditState {
  const start = { id: 0, hash: toHex(genesisHash(tenantId)) };
  return {
    version: 1,
    tenant_id: tenantId,
    verifier_key: verifierKey,
    start,
    read: start,
    verified: start,
    checkpoint: null,
  };
}

/** What a store loaded: undefined where it has nothing. Throws InputError for what no audit saved. */
export function readState(loaded: unknown): AuditState | undefined {
  if (loaded === undefined || loaded === null) return undefined;
  const state = loaded as Partial<AuditState>;
  const isWhole =
    state.version === 1 &&
    typeof state.tenant_id === 'string' &&
    typeof state.verifier_key === 'string' &&
    (state.checkpoint === null || typeof state.checkpoint === 'string') &&
    [state.start, state.read, state.verified].every(isHead);
  // To begin anew instead would trust whatever the service says today.
  if (!isWhole) throw new InputError('the store loaded what is no saved state of an audit');
  return state as AuditState;
}

/** Whether this is an id and the hash of an entry. */
export function isHead(head: Partial<AuditHead> | null | undefined): boolean {
  return Number.isSafeInteger(head?.id) && /^[0-9a-f]{64}$/.test(head?.hash ?? '');
}
