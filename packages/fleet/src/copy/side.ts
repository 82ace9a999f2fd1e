import {
  entryAt,
  findAnchor,
  findHead,
  findTenant,
  type HeadRow,
  headTable,
  lockHead,
  macHolds,
  type Mark,
  type OpenTenant,
  openTenant,
  readMark,
  Refusal,
  type Roots,
  sameBytes,
  type Sql,
  Tampered,
  type Transaction,
} from '@eaas/server/internal';

export interface Side extends OpenTenant {
  readonly kind: 'open' | Mark['kind'];
  readonly copyId: string | undefined;
  readonly head: HeadRow;
}

export async function findSide(sql: Sql, roots: Roots, tenantId: string): Promise<Side | undefined> {
  return sideOf(roots, tenantId, await findTenant(sql, tenantId), await findHead(sql, tenantId));
}

export async function requireLocked(
  tx: Transaction,
  roots: Roots,
  tenantId: string,
  isExpected: (side: Side) => boolean,
): Promise<Side> {
  const head = await lockHead(tx, tenantId);
  const side = sideOf(roots, tenantId, await findTenant(tx, tenantId), head);
  if (side && isExpected(side)) return side;
  throw new Refusal(
    'conflict',
    `Another \`eaas database copy\` has changed the state of the tenant ${tenantId}: run the command again.`,
  );
}

function sideOf(
  roots: Roots,
  tenantId: string,
  row: Awaited<ReturnType<typeof findTenant>>,
  head: HeadRow | undefined,
): Side | undefined {
  if (!row && !head) return undefined;
  if (!row || !head) throw new Tampered(headTable.name, tenantId, tenantId);
  const open = openTenant(roots, row);
  if (macHolds(open.secrets, headTable, head)) return { ...open, kind: 'open', copyId: undefined, head };
  const mark = readMark(open.secrets, head);
  if (!mark) throw new Tampered(headTable.name, tenantId, tenantId);
  return { ...open, ...mark, head };
}

/**
 * Returns whether the log contains the entry. Also returns true for a purged entry, because the log no longer has its
 * hash for a comparison.
 */
export async function continues(sql: Sql, { head }: Side, { id, hash }: HeadRow): Promise<boolean> {
  if (id > head.id) return false;
  const anchor = await findAnchor(sql, head.tenant_id);
  if (id < (anchor?.id ?? 1)) return true;
  const known = id === anchor?.id ? anchor : id === head.id ? head : await entryAt(sql, head.tenant_id, id);
  return known !== undefined && sameBytes(known.hash, hash);
}
