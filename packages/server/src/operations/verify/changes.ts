import { parseUuid } from '@eaas/protocol';
import type { AuditAction } from '@eaas/protocol/wire';
import { type ChangeRow, forEachPage, readMetadata } from '../../store/audit-entries.ts';
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

export async function forEachChange(
  sql: Sql,
  { turns, tenantId }: Pick<Inspection, 'turns' | 'tenantId'>,
  range: { readonly after: number; readonly through: number },
  call: (row: ChangeRow) => void,
): Promise<void> {
  function* callAll(rows: readonly ChangeRow[]): Generator<undefined, void> {
    for (const row of rows) {
      call(row);
      yield;
    }
  }
  await forEachPage(sql, tenantId, changing, range, (rows) =>
    turns.run(tenantId, callAll(rows), { isBegun: true }),
  );
}

export function rowNameOf(tenantId: string, row: ChangeRow): string {
  if (row.action === 'tenant.update') return `tenant ${tenantId}`;
  if (!row.action.startsWith('api_key.')) return `key ${row.key_id}`;
  const id = readMetadata(row)['api_key_id'];
  return `api_key ${(typeof id === 'string' && parseUuid(id)) || 'unknown'}`;
}
