// The table of the people whose data is encrypted, and how entries are found by them.
import { subjects } from '@eaas/service';
import type { StoredTable } from './tables.ts';

/**
 * How entries are found by the subject or the user that their metadata names, in SQL. `id` is the first 32 characters of its
 * id, or null. The names of the metadata are sorted, so both stand at its end, and no `}` follows but the last one. What a
 * context says of a `subject` has at least its own `}` behind it. A regular expression would cost each insert 70 µs.
 * `mayName` is the short condition of the index, because PostgreSQL prepares it again for each insert: with `id is not null`
 * instead, both indexes would cost 20 µs.
 */
function personAtEnd(name: string) {
  const [end, before] = ['right(metadata, 192)', `'"${name}":"'`];
  const id = `split_part(${end}, ${before}, -1)`;
  return {
    mayName: `strpos(${end}, ${before}) > 0`,
    id: `(case when right(metadata, 2) in ('"}', 'e}') and strpos(${id}, '}') = length(${id}) then left(${id}, 32) end)`,
  };
}

const [inSubjects, inUsers] = [personAtEnd('subject'), personAtEnd('user')];

/** Conditions of the list of entries, in SQL. */
export const ofPeople = {
  subject: `${inSubjects.mayName} and ${inSubjects.id}`,
  user: `${inUsers.mayName} and ${inUsers.id}`,
};

export const storedSubjects: StoredTable = {
  ...subjects,
  updatable: ['sealed', 'erased_id', 'erased_at', 'erased_hash', 'mac'],
  // A forged id can be short.
  recordId: `encode(substr(t.subject_id || decode(repeat('00', 16), 'hex'), 1, 16), 'hex')::uuid`,
  counted: { column: 'erased_id', group: `case when erased_id is not null then 'erased' end` },
};

export const people = `
-- An erased subject has no secret any more, and its row stays.
create table eaas.subjects (
  tenant_id uuid not null,
  subject_id bytea not null,
  sealed bytea,
  created_id bigint not null,
  created_at bigint not null,
  erased_id bigint,
  erased_at bigint,
  erased_hash bytea,
  mac bytea not null,
  primary key (tenant_id, subject_id)
);
create index audit_entries_by_subject on eaas.audit_entries (tenant_id, ${inSubjects.id}, id) where ${inSubjects.mayName};
create index audit_entries_by_user on eaas.audit_entries (tenant_id, ${inUsers.id}, id) where ${inUsers.mayName};
-- Null in rows of services without the plugin.
alter table eaas.keys add column subjects text;
`;
