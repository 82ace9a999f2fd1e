// The sum of a tenant's rows, which its head carries under a mask: an append subtracts the rows that it replaces and adds the
// new ones. Called by the ledger, and by verify, which sums all rows again. It is the hash of multisets MSet-Add-Hash (Clarke,
// Devadas, van Dijk, Gassend and Suh, ASIACRYPT 2003); a mask hides one sum, because rows change only with an entry.
import { fromHex, toHex } from '@eaas/protocol/internal-audit';
import { hmac, paeView } from '#platform';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { partsOf } from './rows.ts';
import type { HeadRow } from './store.ts';
import type { Table } from './table.ts';

type SumKey = Pick<TenantSecrets, 'rowSum'>;
type Place = Pick<HeadRow, 'id' | 'hash'>;

/** What a row adds to the sum. Rows of loose tables add nothing. */
export function rowInSum({ rowSum }: SumKey, table: Table<never>, row: object): bigint {
  if (table.isLoose) return 0n;
  return integerOf(hmac(rowSum, paeView(['eaas row in sum v1', table.name, ...partsOf(table, row)])));
}

/** The sum as the head with this id and hash carries it. A sum that is negative or too large wraps around. */
export function masked(secrets: SumKey, head: Place, sum: bigint): Uint8Array {
  const digits = BigInt.asUintN(256, sum + maskOf(secrets, head)).toString(16);
  return fromHex(digits.padStart(64, '0'));
}

/** The sum that a head carries. */
export const unmasked = (secrets: SumKey, head: Place & Pick<HeadRow, 'sum'>): bigint =>
  BigInt.asUintN(256, integerOf(head.sum) - maskOf(secrets, head));

const maskOf = ({ rowSum }: SumKey, { id, hash }: Place): bigint =>
  integerOf(hmac(rowSum, paeView(['eaas row sum v1', id, hash])));

const integerOf = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes)}`);
