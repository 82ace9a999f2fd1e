// How far the copy of a tenant is: the two sides as their databases have them, and what comes next.
import {
  entryAt,
  findAnchor,
  findHead,
  findTenant,
  type HeadRow,
  headTable,
  isClosed,
  lockHead,
  macHolds,
  type Mark,
  type OpenTenant,
  openTenant,
  readMark,
  Refusal,
  type Roots,
  sameBytes,
  type Service,
  type Sql,
  Tampered,
  type Transaction,
} from '@eaas/server/internal';

export interface Databases {
  readonly source: Service;
  readonly target: Service;
}

export interface Plan {
  /**
   * - `finish`: a move from the source to the target was interrupted. No database serves the tenant.
   * - `reopen`: a move from the target to the source was interrupted. The target still has the whole log.
   * - `moved`: the tenant was moved from the source to the target, which serves the tenant.
   * - `elsewhere`: the target serves the tenant. The source has only an incomplete copy.
   */
  readonly step: 'copy' | 'finish' | 'reopen' | 'moved' | 'elsewhere';
  readonly from: Side;
  readonly to: Side | undefined;
}

export async function planOf({ source, target }: Databases, tenantId: string): Promise<Plan> {
  const from = await source.database.run((sql) => findSide(sql, source.tenants.roots, tenantId));
  const to = await target.database.run((sql) => findSide(sql, target.tenants.roots, tenantId));
  if (!from) throw refusal(tenantId, 'was destroyed in the source during the copy: run the command again');
  const step = stepOf(tenantId, from, to);
  const [longer, longerSide, shorter] =
    step === 'copy' || step === 'finish' ? ([source, from, to] as const) : ([target, to, from] as const);
  const isSame =
    !shorter || !longerSide || (await longer.database.run((sql) => continues(sql, longerSide, shorter.head)));
  if (isSame) return { step, from, to };
  throw refusal(
    tenantId,
    'has another audit log in the target. Use an empty target, or erase the tenant there with `eaas tenant destroy`',
  );
}

function stepOf(tenantId: string, from: Side, to: Side | undefined): Plan['step'] {
  const isSameCopy = from.copyId === to?.copyId;
  if (from.kind === 'open') {
    if (to?.kind !== 'open') return 'copy';
    throw refusal(
      tenantId,
      'is open in both databases, and only one database may serve a tenant. Check EAAS_DATABASE_URL and EAAS_COPY_TO_DATABASE_URL',
    );
  }
  if (from.kind === 'moved') {
    if (to?.kind === 'open') return 'moved';
    if (to?.kind === 'arriving' && isSameCopy) return 'finish';
    throw refusal(
      tenantId,
      'has moved from the source to a database other than the target. Set EAAS_COPY_TO_DATABASE_URL to that database',
    );
  }
  if (to?.kind === 'open') return 'elsewhere';
  if (to?.kind === 'moved' && isSameCopy) return 'reopen';
  throw refusal(
    tenantId,
    'has only an incomplete copy in the source. Set EAAS_DATABASE_URL to the database from which the copy came',
  );
}

export function refusal(tenantId: string, sentence: string): Refusal {
  return new Refusal('conflict', `The tenant ${tenantId} ${sentence}.`);
}

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
async function continues(sql: Sql, { head }: Side, { id, hash }: HeadRow): Promise<boolean> {
  if (id > head.id) return false;
  const anchor = await findAnchor(sql, head.tenant_id);
  if (id < (anchor?.id ?? 1)) return true;
  const known = id === anchor?.id ? anchor : id === head.id ? head : await entryAt(sql, head.tenant_id, id);
  return known !== undefined && sameBytes(known.hash, hash);
}

export async function writeHead(tx: Transaction, { tenant_id, ...columns }: HeadRow): Promise<void> {
  const uncounted = !isClosed(columns);
  await tx`update eaas.audit_heads set ${tx({ ...columns, uncounted })} where tenant_id = ${tenant_id}`;
}
