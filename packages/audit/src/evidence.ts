// Evidence for somebody who trusts neither you nor the service: a part of a log as files, which `verify.html` checks.
import { InputError } from '@eaas/protocol';
import {
  isDate,
  type OptionRules,
  requireOptions,
  type Rule,
  ServiceError,
  signal,
  text,
} from '@eaas/protocol/internal';
import { type AuditEntry, type AuditHead, digestOf } from './entry.ts';
import { ownMembers, statedHead } from './entry-proof.ts';
import { headBefore } from './prove.ts';
import { type Abortable, callsOf, findProof, type ProofSource } from './source.ts';

/** Options of `evidence`. */
export interface EvidenceOptions extends Abortable {
  /** The start of the period, inclusive. Defaults to the first entry of the log. */
  readonly from?: Date | undefined;
  /** The end of the period, inclusive. Defaults to the newest entry. */
  readonly to?: Date | undefined;
  /** Shows only entries of this key, and of all others the digest. */
  readonly keyId?: string | undefined;
  /** Shows only entries about this person, and of all others the digest: the `subject_id`, whole or its first half. */
  readonly subjectId?: string | undefined;
}

const time: Rule = (value) => (isDate(value) && !Number.isNaN(value.getTime())) || 'a valid Date';
const person: Rule = (value) =>
  /^[0-9a-f]{32,64}$/.test(String(value)) || 'a `subject_id`, or its first 32 characters';
const rules: OptionRules<EvidenceOptions> = { from: time, to: time, keyId: text, subjectId: person, signal };

/**
 * Yields the files of evidence, in pieces. `entries.ndjson` has the head before its first entry, the entry before the period, the
 * period, the entry after it, and the digests of those up to the first head that the public log has. `proof.txt`, the proof of
 * that head, is absent without one. **Entries are whole**, with addresses and contexts: read them before you hand them on. Throws
 * InputError if there is nothing to show, and if entries of the period were deleted by retention.
 *
 * @example
 * ```ts
 * import { evidence } from '@eaas/audit';
 * import { EaasClient } from '@eaas/sdk';
 *
 * const eaas = new EaasClient();
 * const files: Record<string, string> = {};
 * for await (const { name, text } of evidence(eaas)) files[name] = (files[name] ?? '') + text;
 * console.log(Object.keys(files).includes('entries.ndjson')); // true
 * ```
 */
export async function* evidence(
  source: ProofSource,
  options: EvidenceOptions = {},
): AsyncGenerator<{ readonly name: string; readonly text: string }, void, undefined> {
  requireOptions(rules, options, 'evidence');
  const audit = callsOf(source);
  const { from, to, keyId, subjectId, signal } = options;
  const start = from && (await firstSince(source, from, signal));
  const next = to && (await firstSince(source, new Date(to.getTime() + 1), signal));
  if (from && !start) throw new InputError(nothing);
  const proof = await findProof(audit, next ? { id: next.id } : {}, { signal });
  const end = next && Math.max(next.id, proof === undefined ? 0 : statedHead(proof).id);
  const isAsked = ({ key_id, metadata }: AuditEntry): boolean =>
    (keyId === undefined || key_id === keyId) &&
    (subjectId === undefined || shortId(metadata['subject']) === shortId(subjectId));

  const begin = Math.max(1, (start?.id ?? 1) - 1);
  const line = (value: object) => ({ name: 'entries.ndjson', text: `${JSON.stringify(value)}\n` });
  let before: AuditHead | undefined;
  let tenantId = '';
  let first = 0;
  let last = 0;
  let shown = 0;
  for await (const entry of audit.list({}, { from: Math.max(1, begin - 1), signal })) {
    const { id, hash, tenant_id, created_at } = entry;
    if (id > (end ?? Infinity)) break;
    if (id < begin) before = { id, hash };
    if (id < begin) continue;
    const isWhole = isAsked(entry) && !(next && id > next.id);
    if (first === 0) {
      if (start && id > begin) throw new InputError(deleted(id - 1, created_at));
      if (next && next.id <= (start?.id ?? 1)) throw new InputError(nothing);
      before ??= await headBefore(audit, id, { id, tenantId: tenant_id }, signal);
      if (!before) refuse(id - 1);
      if (id > 1 || !isWhole) yield line(before);
      first = id;
      tenantId = tenant_id;
    }
    last = id;
    if (isWhole) shown++;
    yield line(isWhole ? ownMembers(entry) : { id, digest: digestOf(entry) ?? refuse(id) });
  }
  if (shown === 0) throw new InputError(nothing);
  if (last < (end ?? 0)) refuse(last + 1);
  if (proof !== undefined) yield { name: 'proof.txt', text: proof };
  yield { name: 'README.txt', text: readme(tenantId, first, last, shown) };
}

/** As entries name a person. */
const shortId = (id: unknown): string => String(id).slice(0, 32);
const nothing =
  'the audit log has no such entry in this period, so there is nothing to show: choose another period';
const deleted = (last: number, time: string): string =>
  `entries up to ${last} were deleted by retention, so nothing shows that the period is whole: begin it after ${time}`;

function refuse(id: number): never {
  throw new ServiceError('invalid_response', `the service returned no entry ${id}, so its log is not whole`);
}

async function firstSince({ audit }: ProofSource, time: Date, signal: Abortable['signal']) {
  for await (const entry of audit.list({ date_from: time.toISOString() }, { from: 1, signal })) return entry;
  return undefined;
}

const readme = (tenantId: string, first: number, last: number, shown: number): string => `\
Entries ${first} to ${last} of the audit log of the tenant ${tenantId}

Each says who used which encryption key, and when. ${shown} can be read, and ${last - first + 1 - shown} are hidden: of a hidden one, only
a digest is here, which shows that none is left out or exchanged, and from which nobody can guess what the entry says.

This folder proves nothing by itself: whoever made it could have written all of it, this text too. To check it, open
verify.html in a browser, and drop the folder into its first box. Take that page from a release of Eaas, and not from whoever
gave you this folder; its SHA-256 stands in the notes of the release. Or run: eaas audit verify-file entries.ndjson --partial

It becomes proof by what you bring yourself: a line "id hash" or a checkpoint that you kept from an earlier time. Or, if there
is a proof.txt, which witnesses signed, the keys of these witnesses (a trust policy), which you ask for themselves.
`;
