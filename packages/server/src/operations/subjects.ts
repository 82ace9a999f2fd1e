import {
  erasureDraft,
  isForAnother,
  type People,
  type SignIn,
  subjectNotFound,
  subjectRecord,
  type Who,
} from '@eaas/protocol/service';
import { formatTimestamp, type Input, type Output } from '@eaas/protocol/wire';
import type { Service } from '../app/service.ts';
import { idOfPerson } from '../crypto/key-hierarchy.ts';
import type { Caller } from '../state/caller.ts';
import { change } from '../state/change.ts';
import { seal } from '../state/integrity.ts';
import { Held, SubjectMaterial } from '../state/newcomers.ts';
import { checkedSubject, loadSubjects } from '../state/subjects.ts';
import { noSuchTenant, type TenantState } from '../state/tenant-view.ts';
import { available, type Facts } from '../state/decide.ts';
import { findSubject, rowIdOf, type SubjectRow, subjectTable, writeSubject } from '../store/subjects.ts';
import { type Operations, reading } from './operation.ts';

const nobody = new SubjectMaterial('', 'unknown', null);

/** Runs a call that may make new subjects, and lets go of them when the call ends. */
export function holdingSubjects<T>(calls: readonly Who[], work: (held: Held) => Promise<T>): Promise<T> {
  const held = new Held();
  const done = work(held);
  return calls.some(namesSubject) ? done.finally(() => held.release()) : done;
}

/**
 * Finds the people whom calls name. A subject is made if it is new and a call wraps for it. Whom a user may not open is not
 * looked up: the time would tell who is a subject.
 */
export function findPeople<Call extends Who>(
  { tenants }: Service,
  { state, apiKey }: Facts,
  calls: readonly Call[],
  held: Held,
  mayCreate: (call: Call) => boolean,
): People | Promise<People> {
  const signIn = apiKey?.signIn;
  const open = calls.filter((call) => !isForAnother(signIn, call));
  const named = open.flatMap((call) =>
    call.subject === undefined ? [] : [{ name: call.subject, mayBeNew: mayCreate(call) }],
  );
  if (named.length === 0) return peopleOf(state, undefined, signIn);
  return loadSubjects(tenants, state, named, held).then((found) => peopleOf(state, found, signIn));
}

export function peopleOf(
  { secrets }: TenantState,
  subjects: ReadonlyMap<string, SubjectMaterial> = new Map(),
  signIn?: SignIn,
): People {
  return {
    subject: (name) => subjects.get(name) ?? nobody,
    userId: (name) => idOfPerson(secrets.users, name),
    signIn,
  };
}

const namesSubject = ({ subject }: Who): boolean => subject !== undefined;

interface Named {
  readonly subject?: string | undefined;
  readonly subject_id?: string | undefined;
}

const idIn = ({ secrets }: TenantState, { subject = '', subject_id }: Named): string =>
  subject_id ?? idOfPerson(secrets.subjects, subject);

export const subjectOperations = {
  'POST /v1/subjects/show': reading(async (tx, { state }, named) => {
    const id = idIn(state, named);
    const found = await findSubject(tx, state.tenant.tenant_id, id);
    if (!found) throw subjectNotFound();
    return subjectRecord(id, checkedSubject(state.secrets, found));
  }),
  'POST /v1/subjects/erase': eraseSubject,
} satisfies Partial<Operations>;

type Erased = Output<'POST /v1/subjects/erase'>;

async function eraseSubject(
  service: Service,
  caller: Caller,
  { create = false, ...named }: Input<'POST /v1/subjects/erase'>,
): Promise<Erased> {
  const { tenantId } = caller;
  const view = await available(() => service.tenants.view(tenantId));
  if (!view) throw noSuchTenant();
  // No change of a tenant alters the key of the ids.
  const id = idIn(view.state, named);
  return change(service, caller, {
    load: (tx) => findSubject(tx, tenantId, id),
    decide(open, found) {
      const { state, entryId, time } = open;
      const before = found && checkedSubject(state.secrets, found);
      if (!before && !create) throw subjectNotFound();
      const rowId = rowIdOf(id);
      if (before?.erased_id) return { draft: null, rowId, answer: erasedRecord(id, before), write: () => [] };
      const erasure = (hash: Uint8Array): Erasure => ({
        erased_id: entryId,
        erased_at: time,
        erased_hash: hash,
      });
      const rowFor = (hash: Uint8Array): SubjectRow =>
        seal(state.secrets, subjectTable, {
          tenant_id: tenantId,
          subject_id: Buffer.from(id, 'hex'),
          sealed: null,
          created_id: before?.created_id ?? entryId,
          created_at: before?.created_at ?? time,
          ...erasure(hash),
        });
      return {
        draft: erasureDraft(id),
        rowId,
        answer: ({ hash }) => erasedRecord(id, erasure(hash)),
        write: (tx, { hash }) => [writeSubject(tx, rowFor(hash))],
      };
    },
  });
}

type Erasure = Pick<SubjectRow, 'erased_id' | 'erased_at' | 'erased_hash'>;

function erasedRecord(id: string, { erased_id, erased_at, erased_hash }: Erasure): Erased {
  return {
    subject_id: id,
    erased_at: formatTimestamp(erased_at ?? 0),
    entry: { id: erased_id ?? 0, hash: Buffer.from(erased_hash ?? []).toString('hex') },
  };
}
