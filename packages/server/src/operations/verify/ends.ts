import { genesisHash } from '@eaas/protocol/audit';
import { foreignCheckpoint } from '@eaas/protocol/service';
import { type ChainHead, openCheckpoint } from '../../crypto/checkpoint.ts';
import type { RootKey, TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { sameBytes } from '../../crypto/hmac.ts';
import { macHolds, openSecrets } from '../../state/integrity.ts';
import { noSuchTenant } from '../../state/tenant-view.ts';
import {
  type AnchorRow,
  anchorTable,
  findAnchor,
  findHead,
  type HeadRow,
  headTable,
} from '../../store/heads.ts';
import { entryAt, storedRange } from '../../store/audit-entries.ts';
import { countSingleRows } from '../../store/row-pages.ts';
import type { Sql } from '../../store/sql.ts';
import { findTenant, tenantTable } from '../../store/tenants.ts';
import { judgeAges } from './ages.ts';
import type { Inspection } from './report.ts';
import { rowsAtAnchor, type RowsThen } from './rows-then.ts';

export interface Ends {
  readonly secrets: TenantSecrets | undefined;
  readonly head: ChainHead;
  readonly anchor: ChainHead;
  /** The digest of the rows at the last purge, or undefined if the log has no valid record of a purge. */
  readonly anchoredRows: Uint8Array | undefined;
}

export async function judgeEnds(
  sql: Sql,
  { tenantId, findings }: Inspection,
  roots: readonly RootKey[],
): Promise<Ends> {
  const [tenant, headRow, anchorRow, stored, counts] = await Promise.all([
    findTenant(sql, tenantId),
    findHead(sql, tenantId),
    findAnchor(sql, tenantId),
    storedRange(sql, tenantId),
    countSingleRows(sql, tenantId),
  ]);
  if (!tenant && !headRow) throw noSuchTenant();
  for (const [table, count] of Object.entries(counts)) {
    if (count > 1) findings.add('row_duplicated', null, `${table} ${tenantId}`);
  }
  const secrets = tenant && openSecrets(roots, tenant);
  if (!tenant) findings.add('tenant_missing', null, tenantId);
  else if (!secrets || !macHolds(secrets, tenantTable, tenant)) {
    findings.add('tenant_changed', tenant.rev, tenantId);
  }
  if (!headRow) findings.add('head_missing', null);
  else if (secrets && !macHolds(secrets, headTable, headRow)) findings.add('head_changed', null);
  const genesis = { id: 0, hash: genesisHash(tenantId) };
  const { first = 1, last = 0 } = stored;
  const head = headRow ? readEnd(headRow, last) : genesis;
  const anchor = anchorRow ? readEnd(anchorRow, 0) : genesis;
  if (last > head.id) findings.add('entry_unexpected', head.id + 1);
  if (first <= Math.min(last, anchor.id)) findings.add('entry_unexpected', first);
  const lastHash = head.id === anchor.id ? anchor.hash : (await entryAt(sql, tenantId, head.id))?.hash;
  if (headRow && !same(lastHash, head.hash)) findings.add('head_mismatch', head.id);
  const isAnchored = secrets && anchorRow && macHolds(secrets, anchorTable, anchorRow);
  if (secrets && anchorRow && !isAnchored) findings.add('purge_anchor_changed', anchorRow.id);
  return { secrets, head, anchor, anchoredRows: isAnchored ? anchorRow.rows_digest : undefined };
}

export async function judgeAllAges(sql: Sql, inspection: Inspection, ends: Ends): Promise<RowsThen> {
  const { anchor, anchoredRows } = ends;
  const ages = await judgeAges(sql, inspection, anchor.id);
  return rowsAtAnchor(sql, inspection, ages, { id: anchor.id, digest: anchoredRows });
}

function readEnd({ id, hash }: HeadRow | AnchorRow, otherwise: number): ChainHead {
  const usable = [id, otherwise].find((one) => Number.isSafeInteger(one) && one >= 0) ?? 0;
  return { id: usable, hash: hash instanceof Uint8Array ? hash : new Uint8Array() };
}

function same(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a instanceof Uint8Array && sameBytes(a, b);
}

export async function compareHead(
  sql: Sql,
  tenantId: string,
  stated: ChainHead,
  { head, anchor }: Pick<Ends, 'head' | 'anchor'>,
) {
  if (stated.id > head.id) return 'checkpoint_ahead';
  if (stated.id < anchor.id) return 'checkpoint_purged';
  const known = stated.id === anchor.id ? anchor : await entryAt(sql, tenantId, stated.id);
  return known && sameBytes(known.hash, stated.hash) ? undefined : 'checkpoint_mismatch';
}

export async function judgeCheckpoint(
  sql: Sql,
  { tenantId, findings }: Inspection,
  ends: Ends,
  text: string | undefined,
): Promise<(ChainHead & { readonly valid: boolean }) | null> {
  if (text === undefined || !ends.secrets) return null;
  const stated = openCheckpoint(ends.secrets.checkpointSeed, tenantId, text);
  if (!stated) throw foreignCheckpoint();
  const reason = await compareHead(sql, tenantId, stated, ends);
  if (reason) findings.add(reason, stated.id);
  return { ...stated, valid: reason === undefined };
}
