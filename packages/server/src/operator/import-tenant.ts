// Takes over a tenant of a key file: its keys, with an entry for each, and its people. `createTenant` calls it, in the
// transaction that creates the tenant.
import { hashKeyPlace, type SecretPlace, versionPlace } from '@eaas/protocol/internal-sealing';
import * as core from '@eaas/service';
import { erasedOf, type ImportedPeople, writeErased, writeLiving } from '../plugins/imported-people.ts';
import { appendLink } from '../postgres/append.ts';
import { databaseTime, type Transaction } from '../postgres/sql.ts';

/** A tenant of a key file. */
export interface ImportedTenant {
  readonly tenantId: string;
  /** The SHA-256 of the file in hex, which the audit entries of the keys name. */
  readonly sha256: string;
  readonly keys: readonly {
    /** The row of a key, with the columns of plugins. */
    readonly row: Omit<core.KeyRow, 'tenant_id' | 'sealed_hash_key' | 'created_id' | 'rev'>;
    readonly hashKey: Uint8Array | null;
    readonly versions: readonly { readonly created_at: number; readonly secret: Uint8Array | null }[];
  }[];
  /** The secret of the tenant, on which the ids of its people depend. */
  readonly secret: Uint8Array;
  readonly subjects: ImportedPeople;
}

type Made = Pick<ReturnType<typeof core.newTenant>, 'head' | 'writes'>;
type Link = ReturnType<typeof core.beginLink>;

const entriesPerLink = 50;

/** Appends links after the head of a new tenant. Each key and each erased person gets an entry. */
export async function insertImported(
  tx: Transaction,
  { roots, tables, fields }: core.Service,
  { head: start, writes: [tenant] }: Made,
  { tenantId, sha256, keys, subjects }: ImportedTenant,
): Promise<void> {
  const opened = tenant && core.openTenant(roots, { row: tenant.row, newest_rev: 0 });
  if (!opened) throw new Error('the root key must open the secret of a new tenant (it does not)');
  const { secrets } = opened;
  const operator = core.insider(tenantId, 'operator');
  const seal = (place: SecretPlace, secret: Uint8Array) => core.sealSecret(secrets.sealing, place, secret);
  let head = start;
  let sum = core.unmasked(secrets, start);

  async function append<Item>(items: readonly Item[], add: (link: Link, item: Item) => void): Promise<void> {
    for (let at = 0; at < items.length; at += entriesPerLink) {
      const now = await databaseTime(tx);
      const link = core.beginLink(secrets, tables, head, Math.max(now, head.created_at), sum);
      for (const item of items.slice(at, at + entriesPerLink)) add(link, item);
      const complete = link.complete({ month: head.month, encrypts: 0 }, now);
      const { outcome } = await appendLink(tx, tenantId, complete);
      if (outcome !== 'written')
        throw new Error(`the new tenant must be as it was written (it is ${outcome})`);
      [head, sum] = [complete.next, link.sum];
    }
  }

  await append(keys, (link, { row, hashKey, versions }) => {
    const { key_id, key_version, name, exportable, interval_days, status } = row;
    const rev = link.nextId;
    const sealed_hash_key = hashKey && seal(hashKeyPlace(tenantId, key_id), hashKey);
    const stored = { ...row, tenant_id: tenantId, sealed_hash_key, created_id: rev, rev };
    const set = fields.filter(({ column, initial }) => Reflect.get(row, column) !== initial);
    const ofPlugins = Object.fromEntries(set.map(({ column }) => [column, Reflect.get(row, column)]));
    const created = { key_version, name, exportable, interval_days, status, imported: sha256, ...ofPlugins };
    link.add(operator, core.keyDraft('key.create', row, created));
    link.write(core.add(core.keys, stored), null);
    for (const [index, { created_at, secret }] of versions.entries()) {
      const id = { tenant_id: tenantId, key_id, key_version: index + 1 };
      const sealed = secret && seal(versionPlace(tenantId, key_id, index + 1), secret);
      link.write(core.add(core.keyVersions, { ...id, created_at, sealed }), null);
    }
    if (rev === keys.length) writeLiving(link, tenantId, subjects, seal, rev);
  });
  await append(erasedOf(subjects), (link, person) => writeErased(link, tenantId, sha256, person));
}
