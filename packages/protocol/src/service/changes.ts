import { formatTimestamp } from '../wire/timestamp.ts';
import { defined, type Draft, tenantDraft } from './draft.ts';

/** When a change happens: its time, and the id of the next audit entry. */
export interface Moment {
  readonly time: number;
  readonly entryId: number;
}

/** The row after a change, and the audit entry about it. */
export interface Changed<Row> {
  readonly row: Row;
  readonly draft: Draft | null;
}

/** The settings of a tenant that a change sets. Absent ones stay as they are. */
export interface TenantSettings {
  readonly name?: string | undefined;
  readonly envelope_only?: boolean | undefined;
  readonly monthly_encrypt_quota?: number | null | undefined;
  /** Milliseconds since 1970. */
  readonly created_at?: number | undefined;
}

/** Decides about a change of a tenant's settings. */
export function changedTenant<Row extends { readonly rev: number }>(
  before: Row,
  fields: TenantSettings,
  { entryId }: Moment,
): Changed<Row> {
  const changes = changesOf(before, fields);
  if (!changes) return { row: before, draft: null };
  const metadata = { changes, previous_change: before.rev };
  const row = { ...before, ...defined(fields), rev: entryId };
  return { row, draft: tenantDraft('tenant.update', metadata) };
}

/** Returns the old and the new value of each field that a change sets, as the audit log shows them. */
export function changesOf(before: object, set: object): object | undefined {
  const changes = Object.entries(defined(set)).flatMap(([name, value]: [string, unknown]) => {
    const old: unknown = Reflect.get(before, name);
    return isSame(old, value) ? [] : [[name, { old: auditValue(name, old), new: auditValue(name, value) }]];
  });
  return changes.length > 0 ? Object.fromEntries(changes) : undefined;
}

function isSame(old: unknown, value: unknown): boolean {
  if (!Array.isArray(old) || !Array.isArray(value)) return old === value;
  return old.length === value.length && old.every((item) => value.includes(item));
}

function auditValue(name: string, value: unknown): unknown {
  return typeof value === 'number' && name.endsWith('_at') ? formatTimestamp(value) : value;
}
