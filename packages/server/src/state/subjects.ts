import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Steps, using } from '@eaas/protocol/service';
import { Tampered } from '../base/refusal.ts';
import { idOfPerson, subjectPlace, type TenantSecrets } from '../crypto/key-hierarchy.ts';
import { sealer } from '../crypto/sealed-secret.ts';
import {
  findSubjects,
  type LoadedSubject,
  rowIdOf,
  subjectIdOf,
  subjectsFrom,
  type SubjectRow,
  subjectTable,
} from '../store/subjects.ts';
import type { Transaction } from '../store/sql.ts';
import { macHolds, seal } from './integrity.ts';
import { type Held, SubjectMaterial } from './newcomers.ts';
import { StateMoved, type TenantState } from './tenant-view.ts';
import type { Tenants } from './tenants.ts';

/** A subject that a request names. `mayBeNew`: the call wraps for it, so the service makes it if it is new. */
export interface NamedSubject {
  readonly name: string;
  readonly mayBeNew: boolean;
}

/** Finds the subjects of a request by their names. That a subject is absent is never remembered. */
export async function loadSubjects(
  tenants: Tenants,
  state: TenantState,
  named: readonly NamedSubject[],
  held: Held,
): Promise<ReadonlyMap<string, SubjectMaterial>> {
  const found = new Map<string, SubjectMaterial>();
  const absent = new Map<string, { id: string; mayBeNew: boolean; isPending: boolean }>();
  for (const { name, mayBeNew } of named) {
    if (found.has(name)) continue;
    const other = absent.get(name);
    if (other) {
      other.mayBeNew ||= mayBeNew;
      // What another replica has wrapped can only be opened with the row.
      other.isPending &&= mayBeNew;
      continue;
    }
    const id = held.idOf(name, () => idOfPerson(state.secrets.subjects, name));
    const known = tenants.remembered.subject(state, id);
    if (known) found.set(name, known);
    else absent.set(name, { id, mayBeNew, isPending: mayBeNew && state.newcomers.has(id) });
  }
  if (absent.size === 0) return found;
  const secrets = sealedSecrets(state);
  const hold = (id: string) => held.newcomer(state.newcomers, id, () => secrets.create(id));
  try {
    for (const [name, { id, isPending }] of absent) if (isPending) found.set(name, hold(id));
    const toRead = [...absent].filter(([name]) => !found.has(name));
    const ids = toRead.map(([, { id }]) => id);
    const stored = await readSubjects(tenants, state, ids, secrets);
    function* settle(): Steps<void> {
      for (const [name, { id, mayBeNew }] of toRead) {
        const known = stored.get(id);
        if (known) state.newcomers.forget(rowIdOf(id));
        const unknown = () => (mayBeNew ? hold(id) : new SubjectMaterial(id, 'unknown', null));
        found.set(name, known ?? unknown());
        yield;
      }
    }
    await tenants.turns.run(state.tenant.tenant_id, settle(), { isBegun: true });
    return found;
  } finally {
    secrets.wipe();
  }
}

async function readSubjects(
  tenants: Tenants,
  state: TenantState,
  ids: readonly string[],
  secrets: SealedSecrets,
) {
  const { tenant_id: tenantId } = state.tenant;
  const found = new Map<string, SubjectMaterial>();
  if (ids.length === 0) return found;
  const rows = await readRows(tenants, state, (tx) => findSubjects(tx, tenantId, ids));
  function* openAll(): Steps<void> {
    for (const row of rows) {
      const subject = openSubject(state.secrets, row, secrets);
      found.set(subject.id, subject);
      tenants.remembered.keepSubject(state, subject);
      yield;
    }
  }
  await tenants.turns.run(tenantId, openAll(), { isBegun: true });
  return found;
}

/** Reads rows as they are in this state of the tenant. */
async function readRows(
  tenants: Tenants,
  state: TenantState,
  read: (tx: Transaction) => Promise<LoadedSubject[]>,
): Promise<LoadedSubject[]> {
  const { tenant_id: tenantId } = state.tenant;
  const [head, rows] = await tenants.database.snapshot((tx) =>
    Promise.all([tenants.seeHead(tx, tenantId), read(tx)]),
  );
  if (head && state.isNamed(head)) return rows;
  await tenants.reload(tenantId);
  throw new StateMoved();
}

/**
 * Reads a page of subjects by ascending id, and the id after them, if there are more. `open` returns the subjects with
 * their secrets, one in each step.
 */
export async function pageOfSubjects(tenants: Tenants, state: TenantState, from: string, limit: number) {
  const { tenant_id: tenantId } = state.tenant;
  const rows = await readRows(tenants, state, (tx) => subjectsFrom(tx, tenantId, from, limit + 1));
  const next = rows[limit];
  function* open(): Generator<SubjectMaterial> {
    const secrets = sealedSecrets(state);
    try {
      for (const row of rows.slice(0, limit)) yield openSubject(state.secrets, row, secrets);
    } finally {
      secrets.wipe();
    }
  }
  return { open, next: next ? subjectIdOf(next) : null };
}

function openSubject(secrets: TenantSecrets, loaded: LoadedSubject, sealed: SealedSecrets): SubjectMaterial {
  const row = checkedSubject(secrets, loaded);
  const id = subjectIdOf(row);
  if (row.sealed === null) return new SubjectMaterial(id, 'erased', null);
  const secret = sealed.open(id, row.sealed);
  if (!secret) throw new Tampered(subjectTable.name, id, row.tenant_id);
  return new SubjectMaterial(id, 'known', secret);
}

/** An authentic row is not enough: one from before an erasure might have been put back, and opens nothing. */
export function checkedSubject(secrets: TenantSecrets, { recorded, ...row }: LoadedSubject): SubjectRow {
  const isErased = row.sealed === null;
  if (
    macHolds(secrets, subjectTable, row) &&
    isErased === (row.erased_id !== null) &&
    recorded === row.erased_id
  )
    return row;
  throw new Tampered(subjectTable.name, subjectIdOf(row), row.tenant_id);
}

type SealedSecrets = ReturnType<typeof sealedSecrets>;

/** Makes and opens the secrets of subjects. All share one sealer, because they differ only in their contexts. */
function sealedSecrets({ secrets, tenant }: TenantState) {
  const placeOf = (id: string) => subjectPlace(tenant.tenant_id, id);
  const prepared = sealer(secrets.sealing, placeOf(''));
  let random = Buffer.alloc(0);
  const nextRandom = (): Buffer => {
    // One call for 64 secrets takes much less time than 64 calls.
    if (random.length === 0) random = randomBytes(64 * 32);
    const next = random.subarray(0, 32);
    random = random.subarray(32);
    return next;
  };
  return {
    create: (id: string): SubjectMaterial =>
      using(nextRandom(), (secret) => {
        const sealed = prepared.seal(secret, placeOf(id).context);
        return new SubjectMaterial(id, 'new', createSecretKey(secret), sealed);
      }),
    open(id: string, sealed: Uint8Array): KeyObject | undefined {
      const secret = prepared.open(sealed, placeOf(id).context);
      return secret && using(secret, (bytes) => createSecretKey(bytes));
    },
    wipe(): void {
      random.fill(0);
      prepared.wipe();
    },
  };
}

/** Returns the row of a newcomer, with the entry that creates it. */
export function rowOfNewcomer(
  { secrets, tenant }: TenantState,
  { id, sealed }: SubjectMaterial,
  entry: { readonly id: number; readonly created_at: number },
): SubjectRow {
  return seal(secrets, subjectTable, {
    tenant_id: tenant.tenant_id,
    subject_id: Buffer.from(id, 'hex'),
    sealed,
    created_id: entry.id,
    created_at: entry.created_at,
    erased_id: null,
    erased_at: null,
    erased_hash: null,
  });
}
