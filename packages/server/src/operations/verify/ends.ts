import { genesisHash } from '@eaas/protocol/audit';
import type { ChainHead } from '../../crypto/checkpoint.ts';
import type { RootKey, TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { sameBytes } from '../../crypto/same-bytes.ts';
import { Refusal } from '../../refusal.ts';
import { anchorHolds, headHolds, openSecrets, tenantHolds } from '../../state/integrity.ts';
import { type AnchorRow, findAnchor } from '../../store/anchors.ts';
import { countSingleRows } from '../../store/single-rows.ts';
import { entryAt, storedRange } from '../../store/audit-entries.ts';
import { findHead, type HeadRow } from '../../store/heads.ts';
import type { Sql } from '../../store/sql.ts';
import { findTenant, type TenantRow } from '../../store/tenants.ts';
import type { Findings } from './report.ts';
import { judgeRows } from './rows.ts';

/** What a chain hangs between, of one moment. */
export interface Ends {
  /** Undefined where the tenant's row does not give them: no entry can be judged then. */
  readonly secrets: TenantSecrets | undefined;
  readonly head: ChainHead;
  /** Id 0 and hash_0 where nothing was purged. */
  readonly anchor: ChainHead;
}

/**
 * Judges a tenant's head, its anchor and every row. The ids of what it answers are whole and not negative, whatever
 * the rows say. Throws Refusal only where there is nothing of a tenant at all.
 */
export async function judgeEnds(
  roots: readonly RootKey[],
  sql: Sql,
  tenantId: string,
  findings: Findings,
): Promise<Ends> {
  const [tenant, headRow, anchorRow, stored, rows] = await Promise.all([
    findTenant(sql, tenantId),
    findHead(sql, tenantId),
    findAnchor(sql, tenantId),
    storedRange(sql, tenantId),
    countSingleRows(sql, tenantId),
  ]);
  if (!tenant && !headRow) throw new Refusal('not_found', 'There is no such tenant.');
  for (const [table, count] of Object.entries(rows)) {
    if (count > 1) findings.add('row_duplicated', null, `${table} ${tenantId}`);
  }
  const secrets = judgeTenant(roots, tenantId, tenant, findings);
  if (!headRow) findings.add('head_missing', null);
  else if (secrets && !headHolds(secrets, tenantId, headRow)) findings.add('head_changed', headRow.id);
  const genesis = { id: 0, hash: genesisHash(tenantId) };
  const head = headRow ? readEnd(headRow, { ...genesis, id: stored.last }) : genesis;
  const anchor = anchorRow ? readEnd(anchorRow, genesis) : genesis;
  if (stored.last > head.id) findings.add('entry_unexpected', head.id + 1);
  if (stored.first <= Math.min(stored.last, anchor.id)) findings.add('entry_unexpected', stored.first);
  const lastHash = head.id === anchor.id ? anchor.hash : (await entryAt(sql, tenantId, head.id))?.hash;
  if (headRow && !same(lastHash, head.hash)) findings.add('head_mismatch', head.id);
  if (tenant && secrets) {
    const { digest } = await judgeRows(sql, tenant, secrets, anchor.id, findings);
    if (anchorRow) judgeAnchor(secrets, tenantId, anchorRow, digest, findings);
  }
  return { secrets, head, anchor };
}

function judgeTenant(
  roots: readonly RootKey[],
  tenantId: string,
  row: TenantRow | undefined,
  findings: Findings,
): TenantSecrets | undefined {
  if (!row) {
    findings.add('tenant_missing', null, tenantId);
    return undefined;
  }
  const secrets = openSecrets(roots, row);
  if (!secrets || !tenantHolds(secrets, row)) findings.add('tenant_changed', row.rev, tenantId);
  return secrets;
}

function judgeAnchor(
  secrets: TenantSecrets,
  tenantId: string,
  anchor: AnchorRow,
  digest: Uint8Array,
  findings: Findings,
): void {
  if (!anchorHolds(secrets, tenantId, anchor)) findings.add('purge_anchor_changed', anchor.id);
  else if (!same(digest, anchor.rows_digest)) findings.add('rows_differ_from_anchor', anchor.id);
}

/** An end as a row states it, as far as it states anything. */
function readEnd({ id, hash }: HeadRow | AnchorRow, otherwise: ChainHead): ChainHead {
  const usable = [id, otherwise.id].find((one) => Number.isSafeInteger(one) && one >= 0) ?? 0;
  return { id: usable, hash: hash instanceof Uint8Array ? hash : new Uint8Array() };
}

function same(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a instanceof Uint8Array && sameBytes(a, b);
}
