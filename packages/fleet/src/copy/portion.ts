import { escapeHidden } from '@eaas/protocol/internal';
import {
  apiKeyTable,
  closedStateId,
  closeHead,
  entryAt,
  eraseKeyVersions,
  findAnchor,
  keyTable,
  purgeThrough,
  reserveName,
  tenantTable,
  type Transaction,
} from '@eaas/server/internal';
import { writeHead } from './closed-heads.ts';
import {
  destroyedAmong,
  enterTokens,
  entryPortion,
  lastOfChanges,
  lastOfPortion,
  lastSum,
  newestVersions,
  putRows,
  recordPortion,
  rowPortion,
  rowIdsOf,
  sumPortion,
  tokenHashes,
  versionPortion,
} from './copies.ts';
import { requireLocked, type Side } from './side.ts';
import { type Databases, refusal } from './plan.ts';

export interface Copied {
  /** The id of the last copied entry. */
  readonly id: number;
  readonly isComplete: boolean;
}

interface Transactions {
  readonly from: Transaction;
  readonly to: Transaction;
}

/** The head records the last copied entry and change, so that an interrupted copy continues after them. */
export async function copyPortion(
  { target }: Databases,
  { from, to }: Transactions,
  source: Side,
  copyId: string,
): Promise<Copied> {
  const { tenant_id: tenantId } = source.tenant;
  const isExpected = (side: Side): boolean => side.kind === 'arriving' && side.copyId === copyId;
  const { head } = await requireLocked(to, target.tenants.roots, tenantId, isExpected);
  let { id, hash } = head;
  const anchor = await findAnchor(from, tenantId);
  if (anchor && anchor.id > ((await findAnchor(to, tenantId))?.id ?? 0)) {
    await purgeThrough(to, anchor);
    if (anchor.id > id) ({ id, hash } = anchor);
  }
  if (id < source.head.id) {
    const last = await lastOfPortion(from, tenantId, id, source.head.id);
    await putRows(to, 'audit_entries', (await entryPortion(from, tenantId, id, last)).rows, 'fail');
    const entry = await entryAt(to, tenantId, last);
    if (!entry) {
      throw refusal(tenantId, `has no audit entry ${last} in the source. Run \`eaas audit verify\` there`);
    }
    ({ id, hash } = entry);
  }
  const after = closedStateId(head.state_id);
  const through = await lastOfChanges(from, tenantId, after);
  if (through !== undefined) await copyRows(target, { from, to }, tenantId, { after, through });
  const sums = await sumPortion(from, tenantId, await lastSum(to, tenantId));
  await putRows(to, 'entry_counts', sums.rows, 'keep');
  const state = { state_id: closedStateId(through ?? after), state_hash: hash };
  const mark = { kind: 'arriving', copyId } as const;
  await writeHead(to, closeHead(source.secrets, { ...source.head, id, hash, ...state }, mark));
  return { id, isComplete: id === source.head.id && through === undefined && sums.count === 0 };
}

/** Directory rows are committed first, so that an API key never exists without its directory row. */
async function copyRows(
  target: Databases['target'],
  { from, to }: Transactions,
  tenantId: string,
  range: { readonly after: number; readonly through: number },
): Promise<void> {
  const rowIds = await rowIdsOf(from, tenantId, range);
  if (rowIds.includes(tenantId)) {
    const { rows } = await rowPortion(from, 'tenants', tenantTable.id, tenantId, [tenantId]);
    for (const { name } of JSON.parse(rows) as { name: string }[]) await reserveIn(target, tenantId, name);
    await putRows(to, 'tenants', rows, ['tenant_id']);
  }
  const keys = await rowPortion(from, 'keys', keyTable.id, tenantId, rowIds);
  await putRows(to, 'keys', keys.rows, ['tenant_id', 'key_id']);
  await copyVersions({ from, to }, tenantId, rowIds);
  const hashes = await tokenHashes(from, tenantId, rowIds);
  await target.background.run((sql) => enterTokens(sql, tenantId, hashes));
  const apiKeys = await rowPortion(from, 'api_keys', apiKeyTable.id, tenantId, rowIds);
  await putRows(to, 'api_keys', apiKeys.rows, ['tenant_id', 'api_key_id']);
  await putRows(to, 'row_records', (await recordPortion(from, tenantId, range)).rows, 'keep');
}

export async function reserveIn({ background }: Databases['target'], tenantId: string, name: string) {
  if (await background.run((sql) => reserveName(sql, tenantId, name))) return;
  throw refusal(
    tenantId,
    `cannot be copied, because another tenant of the target has its name ${escapeHidden(JSON.stringify(name))}. Use an empty target`,
  );
}

/** A key version never changes, so only new key versions are copied. */
async function copyVersions({ from, to }: Transactions, tenantId: string, keyIds: readonly string[]) {
  for (const keyId of await destroyedAmong(from, tenantId, keyIds)) {
    await eraseKeyVersions(to, tenantId, keyId);
  }
  for (let isLast = false; !isLast;) {
    const newest = await newestVersions(to, tenantId, keyIds);
    const versions = await versionPortion(from, tenantId, keyIds, newest);
    await putRows(to, 'key_versions', versions.rows, 'fail');
    ({ isLast } = versions);
  }
}
