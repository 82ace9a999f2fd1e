// Takes over a tenant of a key file: its keys, with an entry for each, and its people. `createTenant` calls it, in the
// transaction that creates the tenant.
import * as core from '@eaas/service';
import { appendLink } from '../postgres/append.ts';
import { databaseTime, type Transaction } from '../postgres/sql.ts';

/** A tenant of a key file, with its secrets. */
export interface ImportedTenant extends core.Contents<Uint8Array | null> {
  readonly tenantId: string;
  /** The SHA-256 of the file in hex, which the audit entries of the keys name. */
  readonly sha256: string;
  /** The secret of the tenant, on which the ids of its people depend. */
  readonly secret: Uint8Array;
}

type Made = Pick<ReturnType<typeof core.newTenant>, 'head' | 'writes'>;
type Link = ReturnType<typeof core.beginLink>;

const entriesPerLink = 50;

/** Appends links after the head of a new tenant. Each key and each erased person gets an entry. */
export async function insertImported(
  tx: Transaction,
  { roots, tables, fields }: core.Service,
  { head: start, writes: [tenant] }: Made,
  { tenantId, sha256, ...contents }: ImportedTenant,
): Promise<void> {
  const opened = tenant && core.openTenant(roots, { row: tenant.row, newest_rev: 0 });
  if (!opened) throw new Error('the root key must open the secret of a new tenant (it does not)');
  const { secrets } = opened;
  const operator = core.insider(tenantId, 'operator');
  const { keys, subjects } = core.withMaterial(
    tenantId,
    contents,
    (place, secret) => secret && core.sealSecret(secrets.sealing, place, secret),
  );
  const living = subjects.filter(({ sealed }) => sealed !== null);
  const erased = subjects.filter(({ sealed }) => sealed === null);
  let head = start;
  let sum = core.unmasked(secrets, start);

  async function append<Item>(items: readonly Item[], add: (link: Link, item: Item) => void): Promise<void> {
    for (let at = 0; at < items.length; at += entriesPerLink) {
      const now = await databaseTime(tx);
      const link = core.beginLink(secrets, tables, head, Math.max(now, head.created_at), sum);
      for (const item of items.slice(at, at + entriesPerLink)) add(link, item);
      const complete = link.complete({ month: head.month, encrypts: 0 }, now);
      const { outcome } = await appendLink(tx, tenantId, complete);
      if (outcome !== 'written') {
        throw new Error(`the new tenant must be as it was written (it is ${outcome})`);
      }
      head = complete.next;
      sum = link.sum;
    }
  }

  await append(keys, (link, key) => {
    const rev = link.nextId;
    const { row, versions } = core.rowsOfKey(tenantId, key, rev, rev);
    const { key_version, name, exportable, interval_days, status } = row;
    const set = fields.filter((field) => core.valueIn(row, field) !== field.initial);
    const ofPlugins = Object.fromEntries(set.map((field) => [field.column, core.valueIn(row, field)]));
    const created = { key_version, name, exportable, interval_days, status, imported: sha256, ...ofPlugins };
    link.add(operator, core.keyDraft('key.create', row, created));
    link.write(core.add(core.keys, row), null);
    for (const version of versions) link.write(core.add(core.keyVersions, version), null);
    if (rev < keys.length) return;
    // The entry of the last key names the file, and stands for the living people.
    for (const one of living) {
      link.write(core.add(core.subjects, core.rowOfSubject(tenantId, one, rev)), null);
    }
  });
  await append(erased, (link, one) => {
    const rev = link.nextId;
    const from = link.size;
    link.add(operator, core.tenantDraft('subject.erase', { subject: one.subject_id, imported: sha256 }));
    const row = core.rowOfSubject(tenantId, one, rev, link.receipts(from, 1).hashOf(0));
    link.write(core.add(core.subjects, row), null);
  });
}
