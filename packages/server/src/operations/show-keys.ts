import { formatTimestamp, type Input, limits, type Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { keyNotFound } from '../refusal.ts';
import type { Service } from '../service.ts';
import { decide } from '../state/decide.ts';
import { checkedKey } from '../state/integrity.ts';
import { countKeys, findKey, listKeys as listRows, listKeyVersions } from '../store/keys.ts';
import { versionUses } from '../store/usage.ts';
import { keyRecord, timeOrNull } from './key-record.ts';
import { requireKeyId } from './require-key.ts';

/** GET /v1/keys, newest first. */
export function listKeys(
  service: Service,
  caller: Caller,
  { limit = limits.pageDefault, offset = 0, status, name }: Input<'GET /v1/keys'>,
): Promise<Output<'GET /v1/keys'>> {
  return decide(service, caller, async ({ state, apiKey }) => {
    const filter = { status, name, among: apiKey?.key_ids ?? null };
    const [rows, total] = await service.database.snapshot((tx) =>
      Promise.all([
        listRows(tx, caller.tenantId, filter, { limit, offset }),
        countKeys(tx, caller.tenantId, filter),
      ]),
    );
    const keys = rows.map((row) => keyRecord(checkedKey(state.secrets, row)));
    return { drafts: [], answer: { keys, count: keys.length, total, limit, offset } };
  });
}

/** GET /v1/keys/:key_id, with what still uses each version. */
export function getKey(
  service: Service,
  caller: Caller,
  { key_id }: Input<'GET /v1/keys/:key_id'>,
): Promise<Output<'GET /v1/keys/:key_id'>> {
  return decide(service, caller, async ({ state, apiKey }) => {
    const keyId = requireKeyId(apiKey, key_id);
    const [row, versions, uses] = await service.database.snapshot((tx) =>
      Promise.all([
        findKey(tx, caller.tenantId, keyId),
        listKeyVersions(tx, caller.tenantId, keyId),
        versionUses(tx, caller.tenantId, keyId),
      ]),
    );
    if (!row) throw keyNotFound();
    const record = keyRecord(checkedKey(state.secrets, row));
    const shown = versions.map(({ key_version, created_at }) => {
      const used = uses.find((use) => use.key_version === key_version);
      return {
        key_version,
        created_at: formatTimestamp(created_at),
        wraps: used?.wraps ?? 0,
        unwraps: used?.unwraps ?? 0,
        last_unwrap_at: timeOrNull(used?.last_unwrap_at ?? null),
      };
    });
    return { drafts: [], answer: { ...record, versions: shown } };
  });
}
