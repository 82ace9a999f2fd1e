import { randomUUID } from 'node:crypto';
import { genesisHash } from '@eaas/protocol/audit';
import { escapeHidden } from '@eaas/protocol/internal';
import {
  apiKeyTable,
  issuerTable,
  closedStateId,
  closeHead,
  entryAt,
  eraseKeyVersions,
  findAnchor,
  insertHead,
  keyTable,
  purgeThrough,
  reserveName,
  tenantTable,
  type Transaction,
  verifyChain,
} from '@eaas/server/internal';
import {
  destroyedAmong,
  enterTokens,
  entryPortion,
  keySetPortion,
  lastOfChanges,
  lastOfPortion,
  lastSum,
  newestSubject,
  newestVersions,
  putRows,
  recordPortion,
  rowIdsOf,
  rowPortion,
  subjectPortion,
  sumPortion,
  tokenHashes,
  tombstonePortion,
  versionPortion,
} from './copies.ts';
import { type Databases, findSide, type Plan, refusal, requireLocked, type Side, writeHead } from './plan.ts';

export type Tell = (done: number, all: number) => void;

const portionTime = 60_000;

export async function copyTenant(databases: Databases, plan: Plan, tell: Tell): Promise<number> {
  const { source, target } = databases;
  const { tenant_id: tenantId } = plan.from.tenant;
  const copyId = await beginCopy(databases, plan);
  for (;;) {
    const copied = await source.background.snapshot(async (from) => {
      const side = await findSide(from, source.tenants.roots, tenantId);
      if (!side)
        throw refusal(tenantId, 'was destroyed in the source during the copy: run the command again');
      const portion = await target.background.transaction(
        (to) => copyPortion(databases, { from, to }, side, copyId),
        portionTime,
      );
      tell(portion.id, side.head.id);
      return portion;
    }, portionTime);
    if (copied.isComplete) return copied.id;
  }
}

async function beginCopy({ source, target }: Databases, { from, to }: Plan): Promise<string> {
  if (to?.kind === 'arriving' && to.copyId !== undefined) return to.copyId;
  const { tenant, secrets } = from;
  const { tenant_id: tenantId } = tenant;
  const mark = { kind: 'arriving', copyId: randomUUID() } as const;
  if (to) {
    // The target served this tenant until an earlier move. The target lacks only the entries and changes since that
    // move.
    await target.background.transaction(async (tx) => {
      const { head } = await requireLocked(tx, target.tenants.roots, tenantId, (one) => one.kind === 'moved');
      await writeHead(tx, closeHead(secrets, head, mark));
    });
    return mark.copyId;
  }
  await reserveIn(target, tenantId, tenant.name);
  const { rows } = await source.background.run((sql) =>
    rowPortion(sql, 'tenants', tenantTable.id, tenantId, [tenantId]),
  );
  const hash = genesisHash(tenantId);
  const start = { id: 0, hash, state_id: closedStateId(-1), state_hash: hash };
  await target.background.transaction(async (tx) => {
    await putRows(tx, 'tenants', rows, 'fail');
    await putRows(tx, 'row_records', JSON.stringify(recordsOf(rows)), 'fail');
    await insertHead(tx, closeHead(secrets, { ...from.head, ...start }, mark));
  });
  return mark.copyId;
}

function recordsOf(tenants: string) {
  const rows = JSON.parse(tenants) as { readonly tenant_id: string; readonly rev: number }[];
  return rows.map(({ tenant_id, rev }) => ({ tenant_id, row_id: tenant_id, rev }));
}

/** The transaction `from` must already hold the lock on the head of the tenant's audit log. */
export async function copyRest(
  databases: Databases,
  from: Transaction,
  side: Side,
  copyId: string,
): Promise<void> {
  const copy = (): Promise<Copied> =>
    databases.target.background.transaction((to) => copyPortion(databases, { from, to }, side, copyId));
  for (let copied = await copy(); !copied.isComplete;) copied = await copy();
}

export async function verifyCopy({ target }: Databases, tenantId: string, tell: Tell): Promise<void> {
  const shouldStop = (checked: number, last: number): boolean => {
    tell(checked, last);
    return false;
  };
  const { errors } = await verifyChain(target, tenantId, { isCopy: true, shouldStop });
  requireNone(tenantId, errors);
}

export function requireNone(tenantId: string, errors: readonly { readonly reason: string }[]): void {
  const [error] = errors;
  if (!error) return;
  throw refusal(
    tenantId,
    `stays in the source, because its copy did not pass the verification (${error.reason}). Run \`eaas audit verify\` on the source`,
  );
}

interface Copied {
  /** The id of the last copied entry. */
  readonly id: number;
  readonly isComplete: boolean;
}

interface Transactions {
  readonly from: Transaction;
  readonly to: Transaction;
}

/** The head records the last copied entry and change, so that an interrupted copy continues after them. */
async function copyPortion(
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
  const subjects = await subjectPortion(from, tenantId, await newestSubject(to, tenantId));
  await putRows(to, 'subjects', subjects.rows, 'keep');
  const sums = await sumPortion(from, tenantId, await lastSum(to, tenantId));
  await putRows(to, 'entry_counts', sums.rows, 'keep');
  const state = { state_id: closedStateId(through ?? after), state_hash: hash };
  const mark = { kind: 'arriving', copyId } as const;
  await writeHead(to, closeHead(source.secrets, { ...source.head, id, hash, ...state }, mark));
  const isEmpty = through === undefined && subjects.count === 0 && sums.count === 0;
  const isComplete = id === source.head.id && isEmpty;
  // No entry records these rows, and they are few, so all are copied at the end.
  if (isComplete)
    await putRows(to, 'key_sets', (await keySetPortion(from, tenantId)).rows, ['tenant_id', 'issuer_id']);
  return { id, isComplete };
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
  const issuers = await rowPortion(from, 'issuers', issuerTable.id, tenantId, rowIds);
  await putRows(to, 'issuers', issuers.rows, ['tenant_id', 'issuer_id']);
  const erased = await tombstonePortion(from, tenantId, rowIds);
  await putRows(to, 'subjects', erased.rows, ['tenant_id', 'subject_id']);
  await putRows(to, 'row_records', (await recordPortion(from, tenantId, range)).rows, 'keep');
}

async function reserveIn({ background }: Databases['target'], tenantId: string, name: string) {
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
