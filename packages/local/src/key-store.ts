// The keys of a local service in memory: those of a file or of a sealed text, which outlive the process, or new ones.
import { EaasError, InputError } from '@eaas/protocol';
import { readBase64 } from '@eaas/protocol/internal-base64';
import { randomBytes } from '@eaas/protocol/internal';
import {
  keys,
  keyVersions,
  type Link,
  openTenantSecrets,
  type Plugin,
  refOf,
  Refusal,
  refTo,
  rowOfSubject,
  rowsOfKey,
  macHead,
  withMac,
  type Service,
  type Store,
  subjects,
  type Table,
  type TenantRow,
  tenants,
  withMaterial,
} from '@eaas/service';
import { defaultKeyIn, type KeyFile } from './key-file-format.ts';
import type { MemoryStore, MemoryTenant } from './memory-store.ts';

/** Keys as a store. */
export interface KeyStore {
  readonly tenantId: string;
  /** The id of the key `default`. */
  readonly keyId: string;
  /** The secret of the tenant. */
  readonly secret: Uint8Array;
  /** Its methods throw Refusal `unavailable` for a file that does not open. */
  readonly store: Store;
  /** What the service needs beside, to use the keys. */
  readonly plugins?: readonly Plugin[];
  /** Lays the keys in memory, where the tenant must be. */
  open(service: Service): void;
  /** Reads what others have changed. */
  refresh?(): void;
}

/** Keys whose changes are only in memory. */
export function keysInMemory(file: KeyFile, memory: MemoryStore): KeyStore {
  const { tenantId, secret } = file;
  const keyId = defaultKeyIn(file)?.key_id;
  if (keyId === undefined) throw noDefaultKey();
  const open = (service: Service) => layIn(service, tenantIn(memory, tenantId), file);
  return { tenantId, keyId, secret, store: memory, open };
}

export const noDefaultKey = (): InputError =>
  new InputError('the sealed text must have a key named `default`: restore it from your copy');

const kept = new Set([keys.name, keyVersions.name, subjects.name]);

/** Whether a link changes keys or people. */
export const isKept = ({ writes }: Link): boolean => writes.some(({ table }) => kept.has(table.name));

/** Refuses a call for keys that do not open. With a `cause`, a client in this process gets that error itself. */
export function refuseAsUnavailable(error: unknown, cause?: unknown): never {
  if (!(error instanceof EaasError)) throw error;
  const { message } = error;
  throw new Refusal('unavailable', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, { cause });
}

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
      const sealed = withMac(secrets, widened, each);
      return [refOf(table, each), { row: sealed, newest_rev: widened.record?.revOf(each) ?? null }] as const;
    });
    tenant.tables.set(table.name, new Map(stored));
  };
  const sealed = withMaterial(tenantId, file, (_, text) => (text && readBase64(text)) || null);
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
  tenant.head = macHead(secrets, { ...tenant.head, id, sum: randomBytes(32), nonce: randomBytes(16) });
}
