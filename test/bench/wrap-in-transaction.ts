import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../../packages/server/src/caller.ts';
import { chainEntry } from '../../packages/server/src/crypto/audit-mac.ts';
import { wrapItem } from '../../packages/server/src/operations/wrap.ts';
import { Refusal } from '../../packages/server/src/refusal.ts';
import type { Service } from '../../packages/server/src/service.ts';
import { sealHead } from '../../packages/server/src/state/integrity.ts';
import { loadKeys } from '../../packages/server/src/state/load-keys.ts';
import { appendEntries } from '../../packages/server/src/store/audit-entries.ts';
import { lockHead } from '../../packages/server/src/store/heads.ts';

type Wrap = 'POST /v1/keys/:key_id/wrap';

/**
 * The same wrap as the server's, with its entry in a transaction of its own: lock the head, append, commit. What an
 * audit log costs when it is written in the obvious way.
 */
export function wrapInTransaction(service: Service) {
  return async (caller: Caller, input: Input<Wrap>): Promise<Output<Wrap>> => {
    const view = await service.tenants.view(caller.tenantId);
    if (!view) throw new Error('the benchmark has its tenant');
    const { state } = view;
    const keys = await loadKeys(service.tenants, state, [{ keyId: input.key_id }]);
    const key = keys.get(input.key_id);
    if (!key) throw new Error('the benchmark has its key');
    const { draft, answer } = wrapItem.judge({ state, apiKey: null, time: service.clock() }, key, input);
    if (!draft || answer instanceof Refusal) throw new Error('the benchmark may wrap');
    await service.database.run(
      (sql) =>
        sql.begin(async (tx) => {
          const head = await lockHead(tx, caller.tenantId);
          if (!head) throw new Error('the benchmark has its chain');
          const created_at = Math.max(service.clock(), head.created_at);
          const entry = {
            tenant_id: caller.tenantId,
            id: head.id + 1,
            action: draft.action,
            key_id: draft.keyId,
            key_version: draft.keyVersion,
            actor: caller.actor,
            ip_address: caller.ipAddress,
            metadata: draft.metadata,
            created_at,
          };
          const link = chainEntry(state.secrets.auditMac, head.hash, entry);
          const next = { ...head, id: entry.id, hash: link.hash, created_at };
          const sealed = sealHead(state.secrets, caller.tenantId, next);
          await appendEntries(tx, caller.tenantId, head, sealed, [{ ...entry, ...link }]);
        }),
      60_000,
    );
    return answer;
  };
}
