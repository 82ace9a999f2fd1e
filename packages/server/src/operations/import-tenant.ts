import { keyDraft, type KeyFields } from '@eaas/protocol/service';
import { hashKeyPlace, versionPlace } from '../crypto/key-hierarchy.ts';
import { type SecretPlace, sealSecret } from '../crypto/sealed-secret.ts';
import { insider } from '../state/caller.ts';
import { beginLink } from '../state/chain.ts';
import { type OpenTenant, seal } from '../state/integrity.ts';
import { TenantState } from '../state/tenant-view.ts';
import { appendLink, NotWritten } from '../store/append.ts';
import type { HeadRow } from '../store/heads.ts';
import { insertKeyVersion, keyTable } from '../store/keys.ts';
import { insertRow } from '../store/rows.ts';
import { databaseTime, type Transaction } from '../store/sql.ts';

/** A tenant of a key file. */
export interface ImportedTenant {
  readonly tenantId: string;
  /** The SHA-256 of the file in hex, which the audit entries of the keys name. */
  readonly sha256: string;
  readonly keys: readonly {
    readonly row: KeyFields;
    readonly hashKey: Uint8Array | null;
    readonly versions: readonly { readonly created_at: number; readonly secret: Uint8Array | null }[];
  }[];
}

const keysOfLink = 50;

/** Inserts the keys of a new tenant with their material, and one audit entry each. */
export async function insertKeys(
  tx: Transaction,
  open: OpenTenant,
  start: HeadRow,
  { tenantId, sha256, keys }: ImportedTenant,
): Promise<void> {
  const { sealing } = open.secrets;
  const operator = insider(tenantId, 'operator');
  const sealed = (place: SecretPlace, secret: Uint8Array | null) =>
    secret && sealSecret(sealing, place, secret);
  let head = start;
  for (let at = 0; at < keys.length; at += keysOfLink) {
    const time = await databaseTime(tx);
    const link = beginLink(new TenantState(head, open), head, Math.max(time, head.created_at));
    const records = [];
    for (const { row, hashKey, versions } of keys.slice(at, at + keysOfLink)) {
      const { key_id, key_version, name, exportable, interval_days, intake, status } = row;
      const rev = head.id + link.size + 1;
      const sealed_hash_key = sealed(hashKeyPlace(tenantId, key_id), hashKey);
      const stored = { ...row, tenant_id: tenantId, sealed_hash_key, created_id: rev, rev };
      await insertRow(tx, keyTable, seal(open.secrets, keyTable, stored));
      for (const [index, { created_at, secret }] of versions.entries()) {
        const place = versionPlace(tenantId, key_id, index + 1);
        const version = { key_id, key_version: index + 1, created_at, sealed: sealed(place, secret) };
        await insertKeyVersion(tx, tenantId, version);
      }
      const created = { key_version, name, exportable, interval_days, status, imported: sha256 };
      const metadata = intake ? { ...created, intake } : created;
      link.add(operator, keyDraft('key.create', row, metadata));
      records.push({ row_id: key_id, rev });
    }
    const complete = link.complete(({ id, hash }) => ({ state_id: id, state_hash: hash }));
    const { outcome } = await appendLink(tx, tenantId, complete, time, { row_records: records });
    if (outcome !== 'written') throw new NotWritten(outcome);
    head = complete.next;
  }
}
