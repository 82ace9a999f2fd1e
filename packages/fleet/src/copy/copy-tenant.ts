import { randomUUID } from 'node:crypto';
import { genesisHash } from '@eaas/protocol/audit';
import {
  closedStateId,
  closeHead,
  insertHead,
  tenantTable,
  type Transaction,
  verifyChain,
} from '@eaas/server/internal';
import { writeHead } from './closed-heads.ts';
import { putRows, rowPortion } from './copies.ts';
import { findSide, type Side, requireLocked } from './side.ts';
import { type Databases, type Plan, refusal } from './plan.ts';
import { type Copied, copyPortion, reserveIn } from './portion.ts';

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
