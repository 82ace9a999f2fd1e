import { Tampered } from '../base/refusal.ts';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
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
