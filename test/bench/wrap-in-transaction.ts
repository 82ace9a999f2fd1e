import { type Draft, wrapRule } from '@eaas/protocol/service';
import type { Input, Output } from '@eaas/protocol/wire';
import { authorize, type Caller } from '../../packages/server/src/state/caller.ts';
import { withKey } from '../../packages/server/src/operations/key-crypto.ts';
import { peopleOf } from '../../packages/server/src/operations/subjects.ts';
import { Refusal } from '../../packages/server/src/base/refusal.ts';
import type { Service } from '../../packages/server/src/app/service.ts';
import { checked, openVersion } from '../../packages/server/src/state/integrity.ts';
import { beginLink } from '../../packages/server/src/state/chain.ts';
import type { KeyMaterial, TenantState } from '../../packages/server/src/state/tenant-view.ts';
import { findApiKeyByToken } from '../../packages/server/src/store/api-keys.ts';
import { appendLink } from '../../packages/server/src/store/append.ts';
import { type HeadRow, lockHead } from '../../packages/server/src/store/heads.ts';
import { findKeys, findKeyVersions, keyTable } from '../../packages/server/src/store/keys.ts';
import type { Transaction } from '../../packages/server/src/store/sql.ts';

type Wrap = 'POST /v1/keys/:key_id/wrap';

export function wrapInTransaction(service: Service) {
  return async (caller: Caller, input: Input<Wrap>): Promise<Output<Wrap>> => {
    const view = await service.tenants.view(caller.tenantId);
    if (!view) throw new Error('the tenant is missing');
    const { state } = view;
    return service.database.transaction(async (tx) => {
      const head = await lockHead(tx, caller.tenantId);
      if (!head) throw new Error('the table audit_heads must have a row for the tenant (got none)');
      const time = head.now;
      const { apiKey, key } = await readState(tx, state, caller, input.key_id);
      authorize(state, apiKey, caller, time);
      const { draft, answer } = withKey(key, { people: peopleOf(state) }, (crypto) =>
        wrapRule(key.row, crypto, input),
      );
      if (!draft || answer instanceof Refusal) throw new Error('the wrap was refused');
      await append(tx, state, caller, head, time, draft);
      return answer;
    }, 60_000);
  };
}

async function readState(tx: Transaction, { secrets }: TenantState, caller: Caller, keyId: string) {
  const [apiKey, [row], [version]] = await Promise.all([
    findApiKeyByToken(tx, caller.tenantId, caller.credential?.tokenHash ?? new Uint8Array(32)),
    findKeys(tx, caller.tenantId, [keyId]),
    findKeyVersions(tx, caller.tenantId, [keyId], []),
  ]);
  if (!apiKey || !row || !version)
    throw new Error(
      'the database must have rows for the API key, the key and the key version (one of them is missing)',
    );
  const versions = new Map([[version.key_version, openVersion(secrets, caller.tenantId, version)]]);
  const key: KeyMaterial = { row: checked(secrets, keyTable, row), hashKey: null, versions };
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
  const link = beginLink(state, head, Math.max(time, head.created_at));
  link.add(caller, draft);
  await appendLink(
    tx,
    caller.tenantId,
    link.complete(() => ({})),
    time,
  );
}
