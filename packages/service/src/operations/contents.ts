// What a key file holds of a tenant: its keys with their versions, and its people. Local services lay them in memory as rows, and
// servers import them.
import { hashKeyPlace, type SecretPlace, subjectPlace, versionPlace } from '@eaas/protocol/internal';
import type { KeyRow, KeyVersionRow } from '../ledger/tables.ts';

/** What a file holds. Its material is text, sealed or opened, and null once it is erased. */
export interface Contents<Material> {
  readonly keys: readonly KeptKey<Material>[];
  readonly subjects: readonly KeptSubject<Material>[];
}

/** The columns of a key's row that only a tenant with a log has. */
type OfLog = 'tenant_id' | 'sealed_hash_key' | 'created_id' | 'rev';

/** A key, with the columns that plugins add. */
export interface KeptKey<Material> extends Omit<KeyRow, OfLog> {
  readonly hash_key: Material;
  readonly versions: readonly KeptVersion<Material>[];
}

/** A version of a key. */
interface KeptVersion<Material> {
  readonly created_at: number;
  /** Until when it only decrypts, in a sealed text. Absent: it encrypts. */
  readonly from?: number;
  readonly sealed: Material;
}

/** A subject. An erased one has no secret. */
export interface KeptSubject<Material> {
  readonly subject_id: string;
  readonly created_at: number;
  readonly erased_at: number | null;
  readonly sealed: Material;
}

/** Makes something else of all material. Each has a place, to be sealed or opened for. */
export function withMaterial<From, To>(
  tenantId: string,
  { keys, subjects }: Contents<From>,
  use: (place: SecretPlace, material: From) => To,
): Contents<To> {
  return {
    keys: keys.map(({ hash_key, versions, ...key }) => ({
      ...key,
      hash_key: use(hashKeyPlace(tenantId, key.key_id), hash_key),
      versions: versions.map(({ sealed, ...times }, index) => ({
        ...times,
        sealed: use(versionPlace(tenantId, key.key_id, index + 1), sealed),
      })),
    })),
    subjects: subjects.map(({ sealed, ...subject }) => ({
      ...subject,
      sealed: use(subjectPlace(tenantId, subject.subject_id), sealed),
    })),
  };
}

/** The rows of a key whose material is sealed. */
export function rowsOfKey(
  tenant_id: string,
  { hash_key: sealed_hash_key, versions, ...columns }: KeptKey<Uint8Array | null>,
  created_id: number,
  rev: number,
) {
  const row: KeyRow = { ...columns, tenant_id, sealed_hash_key, created_id, rev };
  const ofVersions = versions.map(({ created_at, sealed }, index): KeyVersionRow => {
    return { tenant_id, key_id: row.key_id, key_version: index + 1, created_at, sealed };
  });
  return { row, versions: ofVersions };
}
