import { randomUUID } from 'node:crypto';
import { parseUuid } from '@eaas/protocol';
import {
  type Changed,
  destroyed,
  disabled,
  enabled,
  keyNotFound,
  keyRecord,
  type Moment,
  newKey,
  requireKeyId,
  requireStatus,
  rescheduled,
  restored,
  rotated,
  settled,
  timeOrNull,
} from '@eaas/protocol/service';
import { formatTimestamp, type Input, limits, type Output } from '@eaas/protocol/wire';
import type { Service } from '../app/service.ts';
import { hashKeyPlace, newMaterial, versionPlace } from '../crypto/key-hierarchy.ts';
import type { Caller } from '../state/caller.ts';
import { change, type Change } from '../state/change.ts';
import { decideRead } from '../state/decide.ts';
import { checked, seal } from '../state/integrity.ts';
import {
  countKeys,
  eraseKeyVersions,
  findKey,
  insertKeyVersion,
  type KeyRow,
  keyTable,
  listKeys,
  nameIsTaken,
} from '../store/keys.ts';
import type { Hold } from '../store/leases.ts';
import { insertRow, updateRow } from '../store/rows.ts';
import { together, type Transaction } from '../store/sql.ts';
import { versionUses } from '../store/usage.ts';
import { exportKey } from './export-key.ts';
import { intakePublicKeyOf } from './intake.ts';
import { requireKey } from './key-crypto.ts';
import { eachRow, listing, type Operations } from './operation.ts';

type Columns = Omit<KeyRow, 'mac'>;

export const keyOperations = {
  'POST /v1/keys': createKey,
  'GET /v1/keys': listing(async (tx, { state, apiKey }, { status, name, ...page }) => {
    const { limit = limits.pageDefault, offset = 0 } = page;
    const { tenant_id: tenantId } = state.tenant;
    const filter = { status, name, among: apiKey?.key_ids ?? null };
    const [rows, total] = await Promise.all([
      listKeys(tx, tenantId, filter, { limit, offset }),
      countKeys(tx, tenantId, filter),
    ]);
    return eachRow(
      rows,
      (row) => keyRecord(checked(state.secrets, keyTable, row)),
      (keys) => ({ keys, count: keys.length, total, limit, offset }),
    );
  }),
  'GET /v1/keys/:key_id': listing(async (tx, { state, apiKey }, { key_id, ...page }) => {
    const { limit = limits.versionsDefault, offset = 0 } = page;
    const { tenant_id: tenantId } = state.tenant;
    const keyId = requireKeyId(apiKey, key_id);
    const [row, uses] = await Promise.all([
      findKey(tx, tenantId, keyId),
      versionUses(tx, tenantId, keyId, { limit, offset }),
    ]);
    if (!row) throw keyNotFound();
    const record = keyRecord(checked(state.secrets, keyTable, row));
    return eachRow(
      uses,
      (use) => ({
        key_version: use.key_version,
        created_at: formatTimestamp(use.created_at),
        wraps: use.wraps,
        unwraps: use.unwraps,
        last_unwrap_at: timeOrNull(use.last_unwrap_at),
      }),
      (versions) => ({ ...record, versions_total: row.key_version, limit, offset, versions }),
    );
  }),
  'DELETE /v1/keys/:key_id': changing((key, at, { grace_days }) => destroyed(key, at, grace_days)),
  'POST /v1/keys/:key_id/rotate': changing((key, at, { key_version }) => rotated(key, at, key_version)),
  'POST /v1/keys/:key_id/disable': changing(disabled),
  'POST /v1/keys/:key_id/enable': changing(enabled),
  'POST /v1/keys/:key_id/restore': changing(restored),
  'PUT /v1/keys/:key_id/rotation-policy': changing((key, at, { interval_days }) =>
    rescheduled(key, at, interval_days),
  ),
  'POST /v1/keys/:key_id/export': exportKey,
} satisfies Partial<Operations>;

export function createKey(service: Service, caller: Caller, input: Input<'POST /v1/keys'>) {
  const { tenantId } = caller;
  return change(service, caller, {
    load: (tx) => nameIsTaken(tx, tenantId, input.name),
    decide(open, isTaken) {
      const { state, entryId } = open;
      const keyId = randomUUID();
      const { row, draft } = newKey(input, open, { keyId, nameIsTaken: isTaken });
      const sealed_hash_key = newMaterial(state.secrets.sealing, hashKeyPlace(tenantId, keyId));
      const stored = { ...row, tenant_id: tenantId, sealed_hash_key, created_id: entryId };
      const sealed = seal(state.secrets, keyTable, stored);
      const write = (tx: Transaction) => [insertRow(tx, keyTable, sealed), addVersion(tx, open, stored)];
      return { draft, rowId: keyId, answer: keyRecord(row), write };
    },
  });
}

export async function settleKey(service: Service, caller: Caller, keyId: string, hold: Hold): Promise<void> {
  await changeKey(service, caller, keyId, settled, hold);
}

function changing<Request extends { readonly key_id: string }>(
  rule: (key: Columns, at: Moment, input: Request) => Changed<Columns>,
) {
  return (service: Service, caller: Caller, input: Request) =>
    changeKey(service, caller, input.key_id, (key, at) => rule(key, at, input));
}

/** Changes a key by a rule. */
function changeKey(
  service: Service,
  caller: Caller,
  keyId: string,
  rule: (key: Columns, at: Moment) => Changed<Columns>,
  hold?: Hold,
): Promise<Output<'POST /v1/keys'>> {
  return change(service, caller, {
    async load(tx) {
      const id = parseUuid(keyId);
      const [found] = await together([id ? findKey(tx, caller.tenantId, id) : undefined, hold?.(tx)]);
      return found;
    },
    decide(open, found) {
      const { state, apiKey } = open;
      requireKeyId(apiKey, keyId);
      if (!found) throw keyNotFound();
      const before = checked(state.secrets, keyTable, found);
      const { row, draft } = rule(before, open);
      const write = (tx: Transaction) => writeKey(tx, open, before, row);
      return { draft, rowId: row.key_id, answer: keyRecord(row), write };
    },
  });
}

function writeKey(tx: Transaction, open: Change, before: Columns, row: Columns): Promise<void>[] {
  const isDestroyed = row.status === 'destroyed';
  const stored = isDestroyed ? { ...row, sealed_hash_key: null } : row;
  return [
    ...(row.key_version > before.key_version ? [addVersion(tx, open, row)] : []),
    ...(isDestroyed ? [eraseKeyVersions(tx, row.tenant_id, row.key_id)] : []),
    updateRow(tx, keyTable, seal(open.state.secrets, keyTable, stored)),
  ];
}

function addVersion(tx: Transaction, { state, time }: Change, { tenant_id, key_id, key_version }: Columns) {
  const sealed = newMaterial(state.secrets.sealing, versionPlace(tenant_id, key_id, key_version));
  return insertKeyVersion(tx, tenant_id, { key_id, key_version, created_at: time, sealed });
}

export function publicKeys(
  service: Service,
  caller: Caller,
  { key_id }: Input<'GET /v1/keys/:key_id/public-key'>,
): Promise<Output<'GET /v1/keys/:key_id/public-key'>> {
  return decideRead(service, caller, async (facts) => {
    const key = await requireKey(service, facts, key_id);
    requireStatus(key.row, 'active');
    const derive = () => ({
      key_id: key.row.key_id,
      key_version: key.row.key_version,
      intake_public_key: intakePublicKeyOf(key),
    });
    const answer = await service.admission.turns.call(caller.tenantId, derive, caller);
    service.tenants.remembered.keepKey(facts.state, key);
    return answer;
  });
}
