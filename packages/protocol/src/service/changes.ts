import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../bytes.ts';
import { canonicalJson } from '../canonical-json.ts';
import { toUtf8, utf8Length } from '../text.ts';
import { limits } from '../wire/limits.ts';
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

// The maximum length of a list that an audit entry contains in full. Of a longer list, the entry contains only the
// hash. API keys from earlier versions can have longer lists.
const mostItems: Readonly<Record<string, number>> = {
  key_ids: limits.keyIds,
  allowed_origins: limits.allowedOrigins,
};

function auditValue(name: string, value: unknown): unknown {
  if (typeof value === 'number' && name.endsWith('_at')) return formatTimestamp(value);
  if (!Array.isArray(value)) return value;
  const isShort = (item: unknown) => typeof item !== 'string' || utf8Length(item) <= limits.origin;
  const isWithin = value.length <= (mostItems[name] ?? Infinity) && value.every(isShort);
  return isWithin ? value : { count: value.length, sha256: toHex(sha256(toUtf8(canonicalJson(value)))) };
}
