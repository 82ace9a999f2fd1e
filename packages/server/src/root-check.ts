import { CannotStart } from './cannot-start.ts';
import { opensRootCheck, type RootKey, sealRootCheck } from './crypto/key-hierarchy.ts';
import { sameBytes } from './crypto/same-bytes.ts';
import {
  deleteRootCheck,
  insertRootCheck,
  listRootChecks,
  lockRootChecks,
  type RootCheckRow,
  someTenantIsSealed,
} from './store/root-checks.ts';
import type { Transaction } from './store/sql.ts';

/** The current root key first, while rotating also the previous. */
type Roots = readonly [RootKey, ...RootKey[]];

/**
 * Makes sure that these root keys open the database; an empty one is theirs from now on. Throws CannotStart otherwise:
 * a new root key never takes the place of one that data is sealed under.
 */
export async function checkRoots(tx: Transaction, roots: Roots): Promise<void> {
  const existing = await listRootChecks(tx);
  if (existing.length > 0) requireOpen(existing, roots);
  else await claim(tx, roots);
}

/** The same, before something is sealed under the current root key: from then on every start needs that key. */
export async function claim(tx: Transaction, roots: Roots): Promise<void> {
  await lockRootChecks(tx);
  const existing = await listRootChecks(tx);
  if (existing.length > 0) requireOpen(existing, roots);
  else if (await someTenantIsSealed(tx)) throw new CannotStart(missing);
  const [{ rootId }] = roots;
  if (existing.some((row) => sameBytes(row.root_id, rootId))) return;
  await insertRootCheck(tx, { root_id: rootId, sealed: sealRootCheck(roots[0]) });
}

/** Lets go of a root key. Answers false, and does nothing, while a tenant is still sealed under it. */
export async function release(tx: Transaction, root: RootKey): Promise<boolean> {
  await lockRootChecks(tx);
  if (await someTenantIsSealed(tx, root.rootId)) return false;
  await deleteRootCheck(tx, root.rootId);
  return true;
}

function requireOpen(existing: readonly RootCheckRow[], roots: Roots): void {
  for (const row of existing) {
    const root = roots.find((one) => sameBytes(one.rootId, row.root_id));
    if (!root) throw new CannotStart(wrongKey(row, roots, existing.length));
    if (!opensRootCheck(root, row.sealed)) throw new CannotStart(damaged);
  }
}

function wrongKey({ root_id }: RootCheckRow, roots: Roots, count: number): string {
  const needed = Buffer.from(root_id).toString('hex');
  const given = roots.map(({ rootId }) => Buffer.from(rootId).toString('hex')).join(' and ');
  const rotating =
    count > 1
      ? ' A rotation is under way: until `eaas root-key rotate` has ended, both root keys are needed.'
      : '';
  return (
    `The root key does not open this database: it is sealed under the root key with the id ${needed}, and the one ` +
    `given has ${given}. Set EAAS_ROOT_KEY, EAAS_ROOT_KEY_FILE or EAAS_ROOT_KEY_PREVIOUS to that key.${rotating}`
  );
}

const damaged =
  'The database has a root check of this root key that the key does not open: the row in eaas.root_checks was changed. ' +
  'Restore it from a backup.';
const missing =
  'The database has tenants but no root check, so nothing says which root key is theirs: the rows of eaas.root_checks ' +
  'were removed. Restore them from a backup.';
