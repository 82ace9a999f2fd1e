import { parseUuid } from '@eaas/protocol';
import type { AuditAction } from '@eaas/protocol/wire';
import { entriesAt, entryIds, type EntryRow } from '../../store/audit-entries.ts';
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

/** A page is small, because the metadata of one entry can have 40 KiB. */
const pageSize = 250;

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
  const ids = await entryIds(sql, tenantId, changing, { after, through });
  for (let start = 0; start < ids.length; start += pageSize) {
    const rows = await entriesAt(sql, tenantId, changing, ids.slice(start, start + pageSize));
    await turns.run(tenantId, callAll(rows));
  }
}

export function subjectOf(tenantId: string, row: EntryRow): string {
  if (row.action === 'tenant.update') return `tenant ${tenantId}`;
  if (!row.action.startsWith('api_key.')) return `key ${row.key_id}`;
  const id = readMetadata(row)['api_key_id'];
  return `api_key ${(typeof id === 'string' && parseUuid(id)) || 'unknown'}`;
}

export function readMetadata({ metadata }: EntryRow): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(metadata);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
