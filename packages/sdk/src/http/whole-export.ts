// Reads the export of a key to its end; loaded on demand.
import { requireOptions } from '@eaas/protocol/internal';
import type { Input, Output } from '@eaas/protocol/wire';
import { unreadable } from '../errors.ts';

/** A key with the secrets of all its versions and, if they were asked for, of all people. */
export type ExportedKey = Omit<Output<'POST /v1/keys/:key_id/export'>, 'next_version' | 'next_subject'>;

type Page = Output<'POST /v1/keys/:key_id/export'>;
type Query = Omit<Input<'POST /v1/keys/:key_id/export'>, 'key_id'>;

/**
 * Exports a key, page by page. A version that is made meanwhile is on the last page. A person who is first named meanwhile
 * can be missing, as one who is named afterwards.
 */
export async function wholeExport(
  readPage: (query: Query) => Promise<Page>,
  input: Omit<Query, 'from_version' | 'from_subject'>,
): Promise<ExportedKey> {
  requireOptions({ public_key: 'anything', subjects: 'flag' }, input, 'keys.export');
  const versions: Page['versions'] = [];
  const subjects: NonNullable<Page['subjects']> = [];
  // All pages share one input, so that a sign-in refuses to continue for another user.
  const query: Query = { ...input };
  let people = {};
  for (;;) {
    query.from_version = versions.length + 1;
    const { next_version, next_subject = null, subjects_key, ...page } = await readPage(query);
    const isNext = page.versions.every(({ key_version }, nth) => key_version === versions.length + nth + 1);
    const isStuck =
      (next_version !== null && page.versions.length === 0) ||
      (next_subject !== null && next_subject <= (query.from_subject ?? ''));
    if (!isNext || isStuck) throw unreadable();
    versions.push(...page.versions);
    subjects.push(...(page.subjects ?? []));
    if (query.subjects) people = { subjects, subjects_key };
    if (next_version === null && next_subject === null) return { ...page, versions, ...people };
    query.subjects = next_subject !== null;
    query.from_subject = next_subject ?? undefined;
  }
}
