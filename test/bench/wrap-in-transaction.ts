import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../../packages/server/src/caller.ts';
import { wrapItem } from '../../packages/server/src/operations/wrap.ts';
import { Refusal } from '../../packages/server/src/refusal.ts';
import type { Service } from '../../packages/server/src/service.ts';
import { authorize } from '../../packages/server/src/state/authorize.ts';
import { chainDraft } from '../../packages/server/src/state/chain.ts';
import { checkedKey, openVersion, sealHead } from '../../packages/server/src/state/integrity.ts';
import type { Draft } from '../../packages/server/src/state/queue.ts';
import type { KeyMaterial, TenantState } from '../../packages/server/src/state/tenant-state.ts';
import { findApiKeyByToken } from '../../packages/server/src/store/api-keys.ts';
import { appendEntries } from '../../packages/server/src/store/audit-entries.ts';
import { type HeadRow, lockHead } from '../../packages/server/src/store/heads.ts';
import { findKeys, findKeyVersions } from '../../packages/server/src/store/keys.ts';
import type { Transaction } from '../../packages/server/src/store/sql.ts';

type Wrap = 'POST /v1/keys/:key_id/wrap';

/**
 * The same wrap as the server's with the same promises, written in the obvious way: a transaction for each, which locks
 * the head, reads the API key and the key as they are now, appends the entry and commits. The tenant's secrets and the
 * admission are remembered, as they are by the server.
 */
export function wrapInTransaction(service: Service) {
  return async (caller: Caller, input: Input<Wrap>): Promise<Output<Wrap>> => {
    const view = await service.tenants.view(caller.tenantId);
    if (!view) throw new Error('the benchmark has its tenant');
    const { state } = view;
    return service.database.transaction(async (tx) => {
      const head = await lockHead(tx, caller.tenantId);
      if (!head) throw new Error('the benchmark has its chain');
      const time = Math.max(service.clock(), head.created_at);
      const { apiKey, key } = await readState(tx, state, caller, input.key_id);
      authorize(state, apiKey, caller, time);
      const { draft, answer } = wrapItem.judge({ state, apiKey, time }, key, input);
      if (!draft || answer instanceof Refusal) throw new Error('the benchmark may wrap');
      await append(tx, state, caller, head, time, draft);
      return answer;
    }, 60_000);
  };
}

async function readState(tx: Transaction, { secrets }: TenantState, caller: Caller, keyId: string) {
  const [apiKey, [row], [version]] = await Promise.all([
    findApiKeyByToken(tx, caller.credential?.tokenHash ?? new Uint8Array(32)),
    findKeys(tx, caller.tenantId, [keyId]),
    findKeyVersions(tx, caller.tenantId, [keyId], []),
  ]);
  if (!apiKey || !row || !version) throw new Error('the benchmark has its API key and its key');
  const versions = new Map([[version.key_version, openVersion(secrets, caller.tenantId, version)]]);
  const key: KeyMaterial = { row: checkedKey(secrets, row), hashKey: null, versions };
  return { apiKey, key };
}

async function append(
  tx: Transaction,
  state: TenantState,
  caller: Caller,
  head: HeadRow,
  time: number,
  draft: Draft,
): Promise<void> {
  const entry = chainDraft(state, head, caller, draft, time);
  const next = { ...head, id: entry.id, hash: entry.hash, created_at: time };
  const sealed = sealHead(state.secrets, caller.tenantId, next);
  await appendEntries(tx, caller.tenantId, head, sealed, [entry]);
}
