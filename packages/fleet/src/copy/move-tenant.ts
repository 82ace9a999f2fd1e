import {
  allRows,
  beginInspection,
  closedStateId,
  closeHead,
  firstRow,
  isDatabaseFault,
  judgeEnds,
  judgeRecentAges,
  openHead,
  sameBytes,
  startWalk,
  type Transaction,
  unhurried,
  walkEntries,
  walkRows,
} from '@eaas/server/internal';
import { type Databases, findSide, planOf, refusal, requireLocked, type Side, writeHead } from './plan.ts';
import { copyCounters } from './copies.ts';
import { copyRest, copyTenant, requireNone, type Tell, verifyCopy } from './copy-tenant.ts';

const lockTime = 10_000;
const mostAttempts = 5;

/** The caller must have verified the copy up to the entry with the id `verified`. */
export async function moveTenant(databases: Databases, tenantId: string, verified: number, tell: Tell) {
  let through = verified;
  for (let attempt = 1; ; attempt++) {
    const plan = await planOf(databases, tenantId);
    if (plan.step === 'copy') {
      const copied = await copyTenant(databases, plan, tell);
      requireNone(tenantId, await findingsSince(databases, tenantId, through));
      through = copied;
    } else if (plan.step !== 'finish') throw refusal(tenantId, 'was moved by another command');
    const startedAt = performance.now();
    try {
      await leave(databases, tenantId, through);
      const entry_id = await open(databases, tenantId);
      return { entry_id, closed_ms: Math.round(performance.now() - startedAt) };
    } catch (error) {
      if (attempt === mostAttempts || !isDatabaseFault(error)) throw error;
    }
  }
}

/**
 * Closes the tenant in the source. If anything fails, the transaction is rolled back, and the source continues to serve
 * the tenant.
 */
async function leave(databases: Databases, tenantId: string, verified: number): Promise<void> {
  const { source, target } = databases;
  await source.background.transaction(async (from) => {
    const side = await requireLocked(from, source.tenants.roots, tenantId, (one) => one.kind !== 'arriving');
    const to = await target.database.run((sql) => findSide(sql, target.tenants.roots, tenantId));
    const isSameCopy = side.kind === 'open' || side.copyId === to?.copyId;
    if (to?.kind !== 'arriving' || to.copyId === undefined || !isSameCopy) {
      throw refusal(tenantId, 'was moved by another command');
    }
    const { copyId } = to;
    await copyRest(databases, from, side, copyId);
    await target.background.transaction((to) => copyCounters(from, to, tenantId), lockTime);
    requireNone(tenantId, await findingsSince(databases, tenantId, verified));
    if (side.kind === 'moved') return;
    const { head, secrets } = side;
    const state_id = closedStateId(head.state_id);
    await writeHead(from, closeHead(secrets, { ...head, state_id }, { kind: 'moved', copyId }));
  }, lockTime);
}

/**
 * Locks the heads of both audit logs, so that a concurrent move in the opposite direction cannot make the source serve
 * the tenant again.
 */
async function open({ source, target }: Databases, tenantId: string): Promise<number> {
  return source.background.transaction(async (from) => {
    const left = await requireLocked(from, source.tenants.roots, tenantId, ({ kind }) => kind === 'moved');
    await target.background.transaction(async (to) => {
      await requireLocked(
        to,
        target.tenants.roots,
        tenantId,
        ({ kind, copyId, head }) =>
          kind === 'arriving' && copyId === left.copyId && sameBytes(head.hash, left.head.hash),
      );
      await writeOpened(to, left);
    });
    return left.head.id;
  });
}

/**
 * Opens the tenant in the target again, after a move of the tenant from the target to the source was interrupted. The
 * source has not yet served the tenant, so the target still has the whole log.
 */
export async function reopenTenant({ source, target }: Databases, tenantId: string): Promise<void> {
  await target.background.transaction(async (to) => {
    const left = await requireLocked(to, target.tenants.roots, tenantId, ({ kind }) => kind === 'moved');
    await source.background.transaction(async (from) => {
      await requireLocked(
        from,
        source.tenants.roots,
        tenantId,
        ({ kind, copyId }) => kind === 'arriving' && copyId === left.copyId,
      );
      await writeOpened(to, left);
    });
  });
}

function writeOpened(tx: Transaction, { head, secrets }: Side) {
  return writeHead(tx, openHead(secrets, { ...head, state_id: closedStateId(head.state_id) }));
}

/**
 * Verifies only the data that was copied after the entry with the id `since`. A complete verification would take too
 * long, because the tenant's requests wait until the move ends.
 */
async function findingsSince(databases: Databases, tenantId: string, since: number) {
  const inspection = beginInspection(databases.target, tenantId, { isCopy: true });
  const { database, findings } = inspection;
  const { ends, changed, walk } = await database.snapshot(async (tx) => {
    const ends = await judgeEnds(tx, inspection, databases.target.tenants.roots);
    const isPurged = ends.anchor.id > since;
    const changed = isPurged ? undefined : await judgeRecentAges(tx, inspection, since);
    return { ends, changed, walk: await startWalk(tx, tenantId, since + 1, ends.anchor) };
  }, unhurried.timeLeft());
  const { secrets, head } = ends;
  if (secrets && changed) {
    await walkRows(inspection, secrets, firstRow, { ...allRows, among: changed });
    await walkEntries(inspection, secrets, walk, head.id);
  } else await verifyCopy(databases, tenantId, () => {});
  return findings.first;
}
