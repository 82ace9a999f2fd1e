// That an export of a key is whole, at the edges of its pages, and whatever happens between them.
import type { Input, Output } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { observedClient, range } from '../../test/observed-client.ts';

const { make, keyId: key_id } = await observedClient();
const public_key = { kty: 'RSA' as const, n: 'AQAB', e: 'AQAB' };
const input = { public_key, subjects: true };
const idOf = (nth: number): string => nth.toString(16).padStart(64, '0');

type Query = Input<'POST /v1/keys/:key_id/export'>;
type Page = Output<'POST /v1/keys/:key_id/export'>;

/** A client of a service that exports so many versions and people, 1,000 a page. `between` changes them after a page. */
function played(key: { versions: number; people: string[] }, between: (page: Page) => unknown = () => {}) {
  const queries: string[] = [];
  const fetch: typeof globalThis.fetch = async (given, init) => {
    const query = (await new Request(given, init).json()) as Query;
    const { from_version: from = 1, subjects, from_subject = '' } = query;
    queries.push(`${query.from_version} ${subjects} ${from_subject}`.trim());
    const versions = range(Math.min(1_000, key.versions - from + 1)).map((nth) => from + nth);
    const people = key.people.filter((id) => id >= from_subject).toSorted();
    const page: Page = {
      tenant_id: key_id,
      key_id,
      versions: versions.map((key_version) => ({ key_version, encrypted: 'AA==' })),
      next_version: from + 1_000 <= key.versions ? from + 1_000 : null,
      hash_key: 'AA==',
      ...(subjects && {
        subjects: people.slice(0, 1_000).map((subject_id) => ({ subject_id, encrypted: 'AA==' })),
        next_subject: people[1_000] ?? null,
        subjects_key: 'AA==',
      }),
    };
    return Response.json(between(page) ?? page);
  };
  return { queries, keys: make({ fetch, retries: 0 }).keys };
}

test.each([
  [1_000, 1_000, ['1 true']],
  [1_001, 1_000, ['1 true', '1001 false']],
  [1, 1_001, ['1 true', `2 true ${idOf(1_000)}`]],
  [2_001, 1_001, ['1 true', `1001 true ${idOf(1_000)}`, '2001 false']],
])('%i versions and %i people are all in the export', async (versions, people, expected) => {
  const { keys, queries } = played({ versions, people: range(people).map(idOf) });
  const whole = await keys.export(key_id, input);
  expect(whole.versions.map(({ key_version }) => key_version)).toEqual(range(versions).map((nth) => nth + 1));
  expect(whole.subjects?.map(({ subject_id }) => subject_id)).toEqual(range(people).map(idOf));
  const members = ['hash_key', 'key_id', 'subjects', 'subjects_key', 'tenant_id', 'versions'];
  expect(Object.keys(whole).toSorted()).toEqual(members);
  expect(queries).toEqual(expected);
});

test('a key that is rotated between pages has the new version too, and nobody who was there is missing', async () => {
  const key = { versions: 2, people: range(1_001).map((nth) => idOf(2 * nth)) };
  const { keys } = played(key, () => {
    if (key.versions > 2) return;
    key.versions += 1;
    key.people.push(idOf(1), idOf(5_000));
  });
  const { versions, subjects = [] } = await keys.export(key_id, input);
  expect(versions.map(({ key_version }) => key_version)).toEqual([1, 2, 3]);
  const ids = subjects.map(({ subject_id }) => subject_id);
  expect(ids).toEqual([...range(1_001).map((nth) => idOf(2 * nth)), idOf(5_000)]);
});

test('without people an export has none, and what names a page is refused', async () => {
  const { keys, queries } = played({ versions: 1, people: [idOf(1)] });
  expect(await keys.export(key_id, { public_key })).not.toHaveProperty('subjects');
  const paged = keys.export(key_id, { ...input, from_version: 2 } as typeof input);
  await expect(paged).rejects.toThrow('`keys.export` has no option `from_version`');
  expect(queries).toHaveLength(1);
  expect(await keys.exportPage(key_id, { ...input, from_subject: idOf(2) })).toMatchObject({ subjects: [] });
});

test.each<[string, (page: Page) => Page]>([
  ['gives the first page again', (page) => ({ ...page, versions: [{ key_version: 1, encrypted: 'AA==' }] })],
  ['leaves out a version', (page) => ({ ...page, versions: page.versions.slice(1) })],
  ['ends a page without versions', (page) => ({ ...page, versions: [] })],
  ['gives the first people again', (page) => ({ ...page, next_version: null, next_subject: idOf(0) })],
])('an export is refused if the service %s', async (_, change) => {
  const { keys, queries } = played({ versions: 1_001, people: [idOf(0)] }, change);
  await expect(keys.export(key_id, input)).rejects.toMatchObject({ code: 'invalid_response' });
  expect(queries.length).toBeLessThan(3);
});
