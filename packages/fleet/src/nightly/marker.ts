import {
  compareHead,
  type Ends,
  type Inspection,
  macHolds,
  type Sql,
  type TenantSecrets,
} from '@eaas/server/internal';
import { findMarker, type MarkerRow, markerTable } from './verifications.ts';
import { nights } from './nights.ts';

export type Marker = Pick<MarkerRow, 'id' | 'hash' | 'night'>;

export async function trustedMarker(
  sql: Sql,
  { tenantId, findings }: Inspection,
  secrets: TenantSecrets,
  ends: Ends,
  tonight: number,
): Promise<Marker | undefined> {
  const row = await findMarker(sql, tenantId);
  if (!row || !macHolds(secrets, markerTable, row)) return undefined;
  const reason = await compareHead(sql, tenantId, row, ends);
  // The marker stores the id and the hash of an entry. Its MAC proves that the log once contained this entry. If the
  // entry is now missing or different although it was not purged, the log was replaced.
  if (reason && reason !== 'checkpoint_purged') findings.add(reason, row.id);
  const { id, hash, night } = row;
  const isRecent = night < tonight && tonight - night <= nights;
  return reason === undefined && row.valid && isRecent ? { id, hash, night } : undefined;
}
