import { genesisHash } from '@eaas/protocol/audit';
import { toHex } from '@eaas/protocol/internal-audit';
import { erasureDraft, type People, subjectNotFound, subjectRecord } from '@eaas/protocol/service';
import { toUtf8 } from '@eaas/protocol';
import { formatTimestamp, type Route } from '@eaas/protocol/wire';
import { hmac } from '#engine';
import {
  LocalSubject,
  type Operations,
  type StoredSubject,
  type Tenant,
  type TenantCall,
  writeEntry,
} from './tenant.ts';

interface Named {
  readonly subject?: string | undefined;
  readonly subject_id?: string | undefined;
}

/** Finds subjects and users. A subject that the tenant does not have is new, until `record` keeps it. */
export function peopleOf(tenant: Tenant): People {
  return {
    subject: (name) => {
      const id = idOf(tenant, 'subjects', name);
      return new LocalSubject(id, tenant.subjects.get(id));
    },
    userId: (name) => idOf(tenant, 'users', name),
  };
}

/** Whether a call wraps for a subject that the tenant does not have yet. */
export function createsSubject(tenant: Tenant, route: Route, input: object): boolean {
  if (!/\/(wrap|rewrap|encrypt)$/.test(route)) return false;
  const items = 'items' in input && Array.isArray(input.items) ? (input.items as unknown[]) : [input];
  return items.some((item) => {
    const name: unknown = Object(item)['subject'];
    return typeof name === 'string' && !tenant.subjects.has(idOf(tenant, 'subjects', name));
  });
}

export const subjectOperations = {
  'POST /v1/subjects/show': ({ tenant }, named) => {
    const id = namedId(tenant, named);
    const found = tenant.subjects.get(id);
    if (!found) throw subjectNotFound();
    return subjectRecord(id, found);
  },
  'POST /v1/subjects/erase': (call, { create = false, ...named }) => {
    const { tenant } = call;
    const id = namedId(tenant, named);
    const before = tenant.subjects.get(id);
    if (!before && !create) throw subjectNotFound();
    const erased = before?.secret === null ? before : erase(call, id, before);
    return {
      subject_id: id,
      erased_at: formatTimestamp(erased.erased_at ?? call.time),
      entry: erased.entry ?? { id: 0, hash: toHex(genesisHash(tenant.tenant_id)) },
    };
  },
} satisfies Partial<Operations>;

function erase(call: TenantCall, id: string, before: StoredSubject | undefined): StoredSubject {
  const { tenant, time } = call;
  const entry = tenant.isComplete ? { entry: writeEntry(call, erasureDraft(id)) } : {};
  const erased = { created_at: before?.created_at ?? time, erased_at: time, secret: null, ...entry };
  tenant.subjects.set(id, erased);
  before?.secret?.fill(0);
  return erased;
}

function namedId(tenant: Tenant, { subject = '', subject_id }: Named): string {
  return subject_id ?? idOf(tenant, 'subjects', subject);
}

function idOf({ idKeys }: Tenant, kind: 'subjects' | 'users', name: string): string {
  return toHex(hmac(idKeys[kind], toUtf8(name)));
}
