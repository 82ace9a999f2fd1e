import type { Caller } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { type ApiKeyRow, findApiKeyByToken } from '../store/api-keys.ts';
import { appendEntries } from '../store/audit-entries.ts';
import { isDatabaseFault, isDuplicate } from '../store/faults.ts';
import { type HeadRow, lockHead } from '../store/heads.ts';
import type { Transaction } from '../store/sql.ts';
import { findTenant } from '../store/tenants.ts';
import { authorize, unauthorized } from './authorize.ts';
import { chainDraft } from './chain.ts';
import { apiKeyHolds, checkedHead, openTenant, sealHead } from './integrity.ts';
import type { Draft } from './queue.ts';
import { TenantState } from './tenant-state.ts';

/** What a change works with, inside its transaction: the tenant as it is now, which nobody else changes meanwhile. */
export interface Change {
  readonly tx: Transaction;
  readonly state: TenantState;
  readonly apiKey: ApiKeyRow | null;
  readonly time: number;
  /** The id of the entry that will record it: the `rev` of every row that it writes. */
  readonly entryId: number;
}

/** What it did: an entry to record and an answer; without an entry nothing was changed. */
export interface Changed<Answer> {
  readonly draft: Draft | null;
  readonly answer: Answer;
}

/**
 * Changes a tenant, a key or an API key: the rows, their entry and the head in one transaction. The head is locked
 * first, so nothing is appended meanwhile, and its state_id moves, so that from the commit on no replica appends by
 * what it remembers.
 */
export async function change<Answer>(
  service: Service,
  caller: Caller,
  work: (change: Change) => Promise<Changed<Answer>>,
): Promise<Answer> {
  let begun = false;
  try {
    const { answer } = await service.database.transaction(async (tx) => {
      const open = await openChange(service, tx, caller);
      const changed = await work(open.change);
      begun = true;
      if (changed.draft) await record(open, caller, changed.draft);
      return changed;
    });
    return answer;
  } catch (error) {
    if (isDuplicate(error))
      throw new Refusal('conflict', 'Another change came first; look again and repeat.');
    if (!isDatabaseFault(error)) throw error;
    // Lost while committing: whether it took place is not known, and nothing is answered.
    throw begun
      ? new Refusal(
          'audit_unwritten',
          'The change and its audit entry may not have been written; look before you repeat it.',
        )
      : new Refusal(
          'unavailable',
          'The service cannot reach its database; nothing was changed. Try again in a moment.',
        );
  } finally {
    service.tenants.forget(caller.tenantId);
  }
}

interface OpenChange {
  readonly change: Change;
  readonly head: HeadRow;
}

async function openChange(service: Service, tx: Transaction, caller: Caller): Promise<OpenChange> {
  const row = await lockHead(tx, caller.tenantId);
  const tenant = await findTenant(tx, caller.tenantId);
  if (!row || !tenant)
    throw caller.credential ? unauthorized() : new Refusal('not_found', 'There is no such tenant.');
  const secrets = openTenant(service.tenants.roots, tenant);
  const head = checkedHead(secrets, caller.tenantId, row);
  const state = new TenantState(head.state_id, tenant, secrets);
  const time = Math.max(service.clock(), head.created_at);
  let apiKey: ApiKeyRow | null = null;
  if (caller.credential) {
    apiKey = (await findApiKeyByToken(tx, caller.credential.tokenHash)) ?? null;
    if (!apiKey || !apiKeyHolds(secrets, apiKey)) throw unauthorized();
    authorize(state, apiKey, caller, time);
  }
  return { head, change: { tx, state, apiKey, time, entryId: head.id + 1 } };
}

async function record({ change, head }: OpenChange, caller: Caller, draft: Draft): Promise<void> {
  const { state, time, tx } = change;
  const { tenantId } = caller;
  const entry = chainDraft(state, head, caller, draft, time);
  const { id, hash } = entry;
  // A tenant's own change may have given it another root key, never other secrets: the MACs stay under the same keys.
  const next = sealHead(state.secrets, tenantId, {
    id,
    hash,
    state_id: id,
    created_at: time,
    month: head.month,
    encrypts: head.encrypts,
  });
  if (!(await appendEntries(tx, tenantId, head, next, [entry]))) {
    throw new Error('the head moved under its lock');
  }
}
