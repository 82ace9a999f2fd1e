import { Tampered } from '../base/refusal.ts';
import {
  type Roots,
  rowKeyOf,
  type SealedTenantSecret,
  type TenantSecrets,
} from '../crypto/key-hierarchy.ts';
import { type HeadRow, headTable } from '../store/heads.ts';
import { macHolds } from './integrity.ts';

/** Returns the head of a log if its MAC is right. Throws Tampered if it is not, or if there is no head. */
export function checkedHead<Head extends HeadRow>(
  secrets: TenantSecrets,
  tenantId: string,
  head: Head | undefined,
): Head {
  if (head && macHolds(secrets, headTable, head)) return head;
  throw new Tampered(headTable.name, tenantId, tenantId);
}

/** A head with the sealed secret of its tenant. */
export type SealedHead = HeadRow & SealedTenantSecret;

/** Whether the MAC of a head is right, for a reader that has no state of its tenant. */
export function isAuthenticHead(roots: Roots, head: SealedHead): boolean {
  const rowMac = rowKeyOf(roots, head);
  return rowMac !== undefined && macHolds({ rowMac }, headTable, head);
}
