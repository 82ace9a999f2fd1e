// MACs of rows that concern all tenants: their key comes from the root key, and not from a tenant's secret.
import { pae } from '@eaas/protocol';
import * as core from '@eaas/service';

/** What checks and seals the MAC of a row. */
export type RowKey = Pick<core.TenantSecrets, 'rowMac'>;

/** The key for the rows of one purpose. */
export const rootRowKey = ({ key }: core.RootKey, purpose: 'night-mac' | 'schema-mac'): RowKey => ({
  rowMac: core.hkdf(key, pae('eaas root v1', purpose)),
});

/** Returns the row if one of the keys made its MAC. */
export function rowUnderAny<Row extends object>(
  keys: readonly RowKey[],
  table: core.Table<Row>,
  stored: core.Stored,
): Row | undefined {
  for (const key of keys) {
    const row = core.attempt(() => core.checkRow(key, table, stored));
    if (row !== undefined) return row;
  }
  return undefined;
}
