// Whether a database has the root key that a program has. Each root key has a row that only it opens.
import { toHex } from '@eaas/protocol/internal';
import { CannotStart } from '../base/cannot-start.ts';
import { opensRootCheck, type RootKey, type Roots, sameBytes, sealRootCheck } from '@eaas/service';
import type { Sql, Transaction } from '../postgres/sql.ts';

interface RootCheckRow {
  readonly root_id: Uint8Array;
  readonly sealed: Uint8Array;
}

/** Held by whoever needs a root key to stay registered, together with others, and alone by whoever takes one away. */
const useLock = 0x65616174;
/** Held alone by whoever registers a root key, so that two first servers do not register two. */
const registrationLock = 0x65616175;

export async function checkRoots(tx: Transaction, roots: Roots): Promise<void> {
  if (await requireOpeningRoots(tx, roots)) await claim(tx, roots);
}

export async function requireOpeningRoots(sql: Sql, roots: Roots): Promise<boolean> {
  const existing = await listRootChecks(sql);
  requireOpen(existing, roots);
  if (existing.length === 0 && (await isUsed(sql, 'tenants'))) throw new CannotStart(missing);
  return existing.length === 0;
}

/**
 * Registers the current root key, if it is not registered yet. A root key must be registered before it encrypts any data. Whoever finds
 * it registered waits for nobody, so that tenants are created side by side.
 */
export async function claim(tx: Transaction, roots: Roots): Promise<void> {
  const [current] = roots;
  const isRegistered = async (): Promise<boolean> => {
    await requireOpeningRoots(tx, roots);
    return (await listRootChecks(tx)).some((row) => sameBytes(row.root_id, current.rootId));
  };

  await tx`select pg_advisory_xact_lock_shared(${useLock})`;
  if (await isRegistered()) return;
  await tx`select pg_advisory_xact_lock(${registrationLock})`;
  if (await isRegistered()) return;
  await tx`insert into eaas.root_checks ${tx({ root_id: current.rootId, sealed: sealRootCheck(current) })}`;
}

/** Forgets a root key, unless it still seals something. */
export async function release(tx: Transaction, root: RootKey): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(${useLock})`;
  if ((await isUsed(tx, 'tenants', root)) || (await isUsed(tx, 'log_keys', root))) return false;
  await tx`delete from eaas.root_checks where root_id = ${root.rootId}`;
  return true;
}

const listRootChecks = (sql: Sql): Promise<RootCheckRow[]> =>
  sql<RootCheckRow[]>`select root_id, sealed from eaas.root_checks order by root_id`;

/** Whether a tenant or the key of a public log is sealed, by any root key or by one. */
async function isUsed(sql: Sql, table: 'tenants' | 'log_keys', root?: RootKey): Promise<boolean> {
  const under = root ? sql`where root_id = ${root.rootId}` : sql``;
  return (await sql`select from eaas.${sql(table)} ${under} limit 1`).count > 0;
}

function requireOpen(existing: readonly RootCheckRow[], roots: Roots): void {
  for (const { root_id, sealed } of existing) {
    const root = roots.find(({ rootId }) => sameBytes(rootId, root_id));
    if (root && opensRootCheck(root, sealed)) continue;
    throw new CannotStart(root ? damaged : wrongKey(root_id, roots, existing.length > 1));
  }
}

function wrongKey(needed: Uint8Array, roots: Roots, isRotating: boolean): string {
  const given = roots.map(({ rootId }) => toHex(rootId)).join(' and ');
  const rotating = isRotating
    ? ' During the present rotation both root keys are needed, until `eaas root-key rotate` has ended.'
    : '';
  return (
    `The root key does not open this database: the database needs the root key with the id ${toHex(needed)}, and the ` +
    `given key has the id ${given}. Set EAAS_ROOT_KEY_FILE (or EAAS_ROOT_KEY_PREVIOUS_FILE) to the file of that key.${rotating}`
  );
}

const damaged =
  'The root key does not open its own row in eaas.root_checks, because that row was changed. Restore the row from a backup.';
const missing =
  'The database has tenants but no root check, so the correct root key is unknown. The rows of eaas.root_checks were ' +
  'removed. Restore them from a backup.';
