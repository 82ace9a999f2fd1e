// Keys that outlive the process, in memory while it runs: those of a file, or of a sealed text. What both stores have in common.
import { readBase64 } from '@eaas/protocol/base64';
import { randomBytes } from '@eaas/protocol/internal';
import {
  keys,
  keyVersions,
  type Link,
  openTenantSecrets,
  type Plugin,
  refOf,
  refTo,
  rowOfSubject,
  rowsOfKey,
  sealHead,
  sealRow,
  type Service,
  type Store,
  subjects,
  type Table,
  type TenantRow,
  tenants,
  withMaterial,
} from '@eaas/service';
import type { StoreAtOnce } from './at-once.ts';
import type { KeyFile } from './key-file-format.ts';
import type { MemoryStore, MemoryTenant } from './memory-store.ts';

/** Keys as a store. */
export interface KeyStore {
  readonly tenantId: string;
  /** The id of the key `default`, if it is there for ever. */
  readonly keyId?: string | undefined;
  /** The secret of the tenant. */
  readonly secret: Uint8Array;
  /** Its methods throw Refusal `unavailable` for a file that does not open. */
  readonly store: Store;
  /** As the store, but it blocks the process while it waits for the lock of a file, and throws InputError. */
  readonly atOnce: StoreAtOnce;
  /** What the service needs beside, to use the keys. */
  readonly plugins?: readonly Plugin[];
  /** Lays the keys in memory, where the tenant must be. */
  open(service: Service): void;
  /** Reads what others have changed. */
  refresh?(): void;
}

const kept = new Set([keys.name, keyVersions.name, subjects.name]);

/** Whether a link changes keys or people. */
export const isKept = ({ writes }: Link): boolean => writes.some(({ table }) => kept.has(table.name));

/** The tenant of a file in memory. */
export function tenantIn({ tenants: all }: MemoryStore, tenantId: string): MemoryTenant {
  const tenant = all.get(tenantId);
  if (!tenant) throw new Error(`the tenant ${tenantId} of the key file must be in memory`);
  return tenant;
}

/**
 * Lays the rows of a file in memory, under a head of their own. No sum is checked: the file has a MAC over all that it holds.
 */
export function layIn({ roots, tables }: Service, tenant: MemoryTenant, file: KeyFile): void {
  const { tenantId } = file;
  const row = tenant.tables.get(tenants.name)?.get(refTo(tenants, tenantId))?.row as TenantRow;
  const secrets = openTenantSecrets(roots, row);
  const lay = <Row extends object>(table: Table<Row>, rows: readonly Row[]) => {
    const widened = (tables.get(table.name) ?? table) as unknown as Table<Row>;
    const stored = rows.map((each) => {
      const sealed = sealRow(secrets, widened, each);
      return [refOf(table, each), { row: sealed, newest_rev: widened.record?.revOf(each) ?? null }] as const;
    });
    tenant.tables.set(table.name, new Map(stored));
  };
  const sealed = withMaterial(tenantId, file, (_, text) =>
    text === null ? null : (readBase64(text) ?? null),
  );
  const rows = sealed.keys.map((key, index) => rowsOfKey(tenantId, key, index + 1, 0));
  lay(
    keys,
    rows.map((ofKey) => ofKey.row),
  );
  lay(
    keyVersions,
    rows.flatMap(({ versions }) => versions),
  );
  lay(
    subjects,
    sealed.subjects.map((subject) => rowOfSubject(tenantId, subject, 1)),
  );
  const id = Math.max(tenant.head.id + 1, file.keys.length);
  tenant.head = sealHead(secrets, { ...tenant.head, id, sum: randomBytes(32), nonce: randomBytes(16) });
}
