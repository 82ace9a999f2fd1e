// The people of a tenant that is taken over from a key file: `operator/import-tenant.ts` writes them after the keys.
import { fromHex } from '@eaas/protocol/internal-audit';
import { type SecretPlace, subjectPlace } from '@eaas/protocol/internal-sealing';
import * as core from '@eaas/service';

/** Subjects by their ids. An erased one has no secret. */
export type ImportedPeople = ReadonlyMap<string, Person>;

interface Person {
  readonly created_at: number;
  readonly erased_at: number | null;
  readonly secret: Uint8Array | null;
}

type Link = ReturnType<typeof core.beginLink>;

/** Writes those who were not erased. An entry of the link, `rev`, names the file, and stands for them. */
export function writeLiving(
  link: Link,
  tenantId: string,
  people: ImportedPeople,
  seal: (place: SecretPlace, secret: Uint8Array) => Uint8Array,
  rev: number,
): void {
  for (const [id, { created_at, secret }] of people) {
    if (secret === null) continue;
    const sealed = seal(subjectPlace(tenantId, id), secret);
    const named = { tenant_id: tenantId, subject_id: fromHex(id), sealed };
    link.write(core.add(core.subjects, { ...named, ...core.notErased, created_id: rev, created_at }), null);
  }
}

export const erasedOf = (people: ImportedPeople): [string, Person][] =>
  [...people].filter(([, { secret }]) => secret === null);

/** Writes one who was erased, with an entry that names the file. */
export function writeErased(
  link: Link,
  tenantId: string,
  sha256: string,
  [id, { created_at, erased_at }]: readonly [string, Person],
): void {
  const [rev, from] = [link.nextId, link.size];
  const operator = core.insider(tenantId, 'operator');
  link.add(operator, core.tenantDraft('subject.erase', { subject: id, imported: sha256 }));
  const erasure = { erased_id: rev, erased_at, erased_hash: link.receipts(from, 1).hashOf(0) };
  const named = { tenant_id: tenantId, subject_id: fromHex(id), sealed: null, created_id: rev, created_at };
  link.write(core.add(core.subjects, { ...named, ...erasure }), null);
}
