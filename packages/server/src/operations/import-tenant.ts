import { erasureDraft, keyDraft, type KeyFields, type SubjectFields } from '@eaas/protocol/service';
import { hashKeyPlace, subjectPlace, versionPlace } from '../crypto/key-hierarchy.ts';
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
import { rowIdOf, type SubjectRow, subjectTable, writeSubject } from '../store/subjects.ts';

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
  /** The secret of the tenant, on which the ids of its subjects depend. */
  readonly secret: Uint8Array;
  /** Subjects by their ids. An erased one has no secret. */
  readonly subjects: ReadonlyMap<string, SubjectFields & { readonly secret: Uint8Array | null }>;
}

const rowsOfLink = 50;

/** Inserts the keys and the subjects of a new tenant. Each key and each erased subject gets an audit entry. */
export async function insertImported(
  tx: Transaction,
  open: OpenTenant,
  start: HeadRow,
  imported: ImportedTenant,
): Promise<void> {
  const head = await insertKeys(tx, open, start, imported);
  await insertSubjects(tx, open, head, imported);
}

async function insertKeys(
  tx: Transaction,
  open: OpenTenant,
  start: HeadRow,
  { tenantId, sha256, keys }: ImportedTenant,
): Promise<HeadRow> {
  const { sealing } = open.secrets;
  const operator = insider(tenantId, 'operator');
  const sealed = (place: SecretPlace, secret: Uint8Array | null) =>
    secret && sealSecret(sealing, place, secret);
  let head = start;
  for (let at = 0; at < keys.length; at += rowsOfLink) {
    const time = await databaseTime(tx);
    const link = beginLink(new TenantState(head, open), head, Math.max(time, head.created_at));
    const records = [];
    for (const { row, hashKey, versions } of keys.slice(at, at + rowsOfLink)) {
      const { key_id, key_version, name, exportable, interval_days, intake, subjects, status } = row;
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
      const metadata = {
        ...created,
        ...(intake && { intake }),
        ...(subjects === 'required' && { subjects }),
      };
      link.add(operator, keyDraft('key.create', row, metadata));
      records.push({ row_id: key_id, rev });
    }
    const complete = link.complete(({ id, hash }) => ({ state_id: id, state_hash: hash }));
    const { outcome } = await appendLink(tx, tenantId, { ...complete, rows: { row_records: records } }, time);
    if (outcome !== 'written') throw new NotWritten(outcome);
    head = complete.next;
  }
  return head;
}

async function insertSubjects(
  tx: Transaction,
  open: OpenTenant,
  start: HeadRow,
  { tenantId, sha256, subjects }: ImportedTenant,
): Promise<void> {
  const { sealing } = open.secrets;
  const write = (id: string, row: Omit<SubjectRow, 'tenant_id' | 'subject_id' | 'mac'>): Promise<void> => {
    const stored = { tenant_id: tenantId, subject_id: Buffer.from(id, 'hex'), ...row };
    return writeSubject(tx, seal(open.secrets, subjectTable, stored));
  };
  // The newest entry of a key names the file, and stands for the subjects that have a secret.
  const living = { created_id: start.id, erased_id: null, erased_at: null, erased_hash: null };
  for (const [id, { created_at, secret }] of subjects) {
    if (secret)
      await write(id, {
        ...living,
        created_at,
        sealed: sealSecret(sealing, subjectPlace(tenantId, id), secret),
      });
  }
  const erased = [...subjects].filter(([, { secret }]) => secret === null);
  const operator = insider(tenantId, 'operator');
  let head = start;
  for (let at = 0; at < erased.length; at += rowsOfLink) {
    const time = await databaseTime(tx);
    const link = beginLink(new TenantState(head, open), head, Math.max(time, head.created_at));
    const records = [];
    for (const [id, { created_at, erased_at }] of erased.slice(at, at + rowsOfLink)) {
      const rev = head.id + link.size + 1;
      const draft = erasureDraft(id, { imported: sha256 });
      const erased_hash = Buffer.from(link.add(operator, draft), 'latin1');
      await write(id, { sealed: null, created_id: rev, created_at, erased_id: rev, erased_at, erased_hash });
      records.push({ row_id: rowIdOf(id), rev });
    }
    const complete = link.complete(({ id, hash }) => ({ state_id: id, state_hash: hash }));
    const { outcome } = await appendLink(tx, tenantId, { ...complete, rows: { row_records: records } }, time);
    if (outcome !== 'written') throw new NotWritten(outcome);
    head = complete.next;
  }
}
