// Takes over a tenant of a key file: its keys, with an entry for each, and its subjects. `createTenant` calls it, in the
// transaction that creates the tenant.
import { fromHex } from '@eaas/protocol/internal-audit';
import { hashKeyPlace, type SecretPlace, subjectPlace, versionPlace } from '@eaas/protocol/internal-sealing';
import * as core from '@eaas/service';
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
  /** The secret of the tenant, on which the ids of its subjects depend. */
  readonly secret: Uint8Array;
  /** Subjects by their ids. An erased one has no secret. */
  readonly subjects: ReadonlyMap<
    string,
    { readonly created_at: number; readonly erased_at: number | null; readonly secret: Uint8Array | null }
  >;
}

type Made = Pick<ReturnType<typeof core.newTenant>, 'head' | 'writes'>;
type Link = ReturnType<typeof core.beginLink>;

const entriesPerLink = 50;

/** Appends links after the head of a new tenant. Each key and each erased subject gets an entry. */
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
  const sealed = (place: SecretPlace, secret: Uint8Array | null) =>
    secret && core.sealSecret(secrets.sealing, place, secret);
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

  // The newest entry of a key names the file, and stands for the subjects that have a secret.
  const living = [...subjects].filter(([, { secret }]) => secret !== null);
  const erased = [...subjects].filter(([, { secret }]) => secret === null);
  const notErased = { erased_id: null, erased_at: null, erased_hash: null };

  await append(keys, (link, { row, hashKey, versions }) => {
    const { key_id, key_version, name, exportable, interval_days, status } = row;
    const rev = link.nextId;
    const sealed_hash_key = sealed(hashKeyPlace(tenantId, key_id), hashKey);
    const stored = { ...row, tenant_id: tenantId, sealed_hash_key, created_id: rev, rev };
    const set = fields.filter(({ column, initial }) => Reflect.get(row, column) !== initial);
    const ofPlugins = Object.fromEntries(set.map(({ column }) => [column, Reflect.get(row, column)]));
    const created = { key_version, name, exportable, interval_days, status, imported: sha256, ...ofPlugins };
    link.add(operator, core.keyDraft('key.create', row, created));
    link.write(core.add(core.keys, stored), null);
    for (const [index, { created_at, secret }] of versions.entries()) {
      const id = { tenant_id: tenantId, key_id, key_version: index + 1 };
      const place = versionPlace(tenantId, key_id, index + 1);
      link.write(core.add(core.keyVersions, { ...id, created_at, sealed: sealed(place, secret) }), null);
    }
    if (rev < keys.length) return;
    for (const [id, { created_at, secret }] of living) {
      const named = {
        tenant_id: tenantId,
        subject_id: fromHex(id),
        sealed: sealed(subjectPlace(tenantId, id), secret),
      };
      link.write(core.add(core.subjects, { ...named, ...notErased, created_id: rev, created_at }), null);
    }
  });
  await append(erased, (link, [id, { created_at, erased_at }]) => {
    const [rev, from] = [link.nextId, link.size];
    link.add(operator, core.tenantDraft('subject.erase', { subject: id, imported: sha256 }));
    const erasure = { erased_id: rev, erased_at, erased_hash: link.receipts(from, 1).hashOf(0) };
    const named = { tenant_id: tenantId, subject_id: fromHex(id), sealed: null, created_id: rev, created_at };
    link.write(core.add(core.subjects, { ...named, ...erasure }), null);
  });
}
