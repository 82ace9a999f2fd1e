import { parseUuid } from '@eaas/protocol';
import type { AuditAction } from '@eaas/protocol/wire';
import { changeEntries, type EntryRow } from '../../store/audit-entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { Inspection } from './report.ts';

const changing: readonly AuditAction[] = [
  'key.create',
  'key.rotate',
  'key.disable',
  'key.enable',
  'key.destroy',
  'key.restore',
  'key.rotation_policy',
  'api_key.create',
  'api_key.update',
  'api_key.revoke',
  'tenant.update',
];

/** The number of audit entries in a page. It is small, because the metadata of one entry can have 40 KiB. */
const pageSize = 250;

/**
 * Calls a function with each audit entry of a range that changed a row. Reads the entries page by page, and pauses so
 * that other tenants' work can run.
 */
export async function forEachChange(
  sql: Sql,
  { turns, tenantId }: Pick<Inspection, 'turns' | 'tenantId'>,
  { after, through }: { readonly after: number; readonly through: number },
  call: (row: EntryRow) => void,
): Promise<void> {
  function* callAll(rows: readonly EntryRow[]): Generator<undefined, void> {
    for (const row of rows) {
      call(row);
      yield;
    }
  }
  for (let last: number | undefined = after; last !== undefined;) {
    const range = { after: last, through };
    const rows: EntryRow[] = await changeEntries(sql, tenantId, changing, range, pageSize);
    await turns.run(tenantId, callAll(rows));
    last = rows.at(-1)?.id;
  }
}

/**
 * Returns the kind and the id of the row that an audit entry changed, as in `key <id>`. The kind is `key`, `api_key` or
 * `tenant`.
 */
export function subjectOf(tenantId: string, row: EntryRow): string {
  if (row.action === 'tenant.update') return `tenant ${tenantId}`;
  if (!row.action.startsWith('api_key.')) return `key ${row.key_id}`;
  const id = readMetadata(row)['api_key_id'];
  return `api_key ${(typeof id === 'string' && parseUuid(id)) || 'unknown'}`;
}

/**
 * Returns the metadata of an audit entry. Returns an empty object if the metadata is not a JSON object because of
 * tampering.
 */
export function readMetadata({ metadata }: EntryRow): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(metadata);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
