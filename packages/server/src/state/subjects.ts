import { createSecretKey, randomBytes } from 'node:crypto';
import { type Steps, using } from '@eaas/protocol/service';
import { Tampered } from '../base/refusal.ts';
import { idOfPerson, openMaterial, subjectPlace, type TenantSecrets } from '../crypto/key-hierarchy.ts';
import { sealSecret } from '../crypto/sealed-secret.ts';
import {
  findSubjects,
  type LoadedSubject,
  rowIdOf,
  subjectIdOf,
  type SubjectRow,
  subjectTable,
} from '../store/subjects.ts';
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
  const hold = (id: string) => held.newcomer(state.newcomers, id, () => newcomer(state, id));
  for (const [name, { id, isPending }] of absent) if (isPending) found.set(name, hold(id));
  const toRead = [...absent].filter(([name]) => !found.has(name));
  const stored = await readSubjects(
    tenants,
    state,
    toRead.map(([, { id }]) => id),
  );
  for (const [name, { id, mayBeNew }] of toRead) {
    const known = stored.get(id);
    if (known) state.newcomers.forget(rowIdOf(id));
    const unknown = () => (mayBeNew ? hold(id) : new SubjectMaterial(id, 'unknown', null));
    found.set(name, known ?? unknown());
  }
  return found;
}

async function readSubjects(tenants: Tenants, state: TenantState, ids: readonly string[]) {
  const { tenant_id: tenantId } = state.tenant;
  const found = new Map<string, SubjectMaterial>();
  if (ids.length === 0) return found;
  const [head, rows] = await tenants.database.snapshot((tx) =>
    Promise.all([tenants.seeHead(tx, tenantId), findSubjects(tx, tenantId, ids)]),
  );
  if (!head || !state.isNamed(head)) {
    await tenants.reload(tenantId);
    throw new StateMoved();
  }
  function* openAll(): Steps<void> {
    for (const row of rows) {
      const subject = openSubject(state.secrets, row);
      found.set(subject.id, subject);
      tenants.remembered.keepSubject(state, subject);
      yield;
    }
  }
  await tenants.turns.run(tenantId, openAll(), { isBegun: true });
  return found;
}

function openSubject(secrets: TenantSecrets, loaded: LoadedSubject): SubjectMaterial {
  const row = checkedSubject(secrets, loaded);
  const { tenant_id: tenantId } = row;
  const id = subjectIdOf(row);
  if (row.sealed === null) return new SubjectMaterial(id, 'erased', null);
  const secret = openMaterial(secrets.sealing, subjectPlace(tenantId, id), row.sealed);
  if (!secret) throw new Tampered(subjectTable.name, id, tenantId);
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

function newcomer({ secrets, tenant }: TenantState, id: string): SubjectMaterial {
  const place = subjectPlace(tenant.tenant_id, id);
  return using(
    randomBytes(32),
    (secret) =>
      new SubjectMaterial(id, 'new', createSecretKey(secret), sealSecret(secrets.sealing, place, secret)),
  );
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
