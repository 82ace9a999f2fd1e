import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { entryHash, genesisHash } from '@eaas/test-kit/decoder';
import { type AuditEntry, newDek, newTenant, ok, only, unknownId, wrapped } from '@eaas/test-kit/fixture';
import { aHash, aTimestamp } from './shapes.ts';

const tenant = await newTenant();
const key = await tenant.newKey();
for (let number = 0; number < 120; number++) {
  await wrapped(tenant.api, key.key_id, { number: String(number) });
}
// newest first
const all = [...(await tenant.entries('limit=100')), ...(await tenant.entries('limit=100&offset=100'))];

const list = async (query: string) => ok(await tenant.api.get(`/v1/audit?${query}`));
const ids = (entries: readonly AuditEntry[]) => entries.map((entry) => entry.id);
const encoded = encodeURIComponent;

describe('a page', () => {
  test('a page of the audit log has the 50 newest entries by default', async () => {
    const page = ok(await tenant.api.get('/v1/audit'));
    const { logs, ...rest } = page;
    expect(rest).toStrictEqual({ count: 50, total: 122, limit: 50, offset: 0 });
    expect(ids(logs)).toStrictEqual(Array.from({ length: 50 }, (_, at) => 122 - at));
  });

  test('a page of the audit log can start at any offset', async () => {
    for (const offset of [1, 60, 121]) {
      const page = await list(`limit=2&offset=${offset}`);
      expect(page.logs).toStrictEqual(all.slice(offset, offset + 2));
      expect(page).toMatchObject({ count: page.logs.length, total: 122, limit: 2, offset });
    }
    for (const offset of [122, 1_000_000_000]) {
      expect(await list(`offset=${offset}`)).toMatchObject({ logs: [], count: 0, total: 122, offset });
    }
  });
});

describe('an entry', () => {
  test('audit entries have the ids 1, 2, 3 …, starting with the operator’s entry, and the documented fields', () => {
    const { tenant_id } = tenant;
    const salt = expect.stringMatching(/^[0-9a-f]{32}$/);
    const same = { tenant_id, metadata: expect.any(Object), created_at: aTimestamp, salt, hash: aHash };
    const ofCall = {
      ...same,
      actor: tenant.apiKeyId,
      ip_address: expect.stringMatching(/^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:]+)$/),
      key_id: key.key_id,
      key_version: 1,
    };
    const none = { key_id: null, key_version: null, ip_address: null };
    expect(all).toStrictEqual([
      ...Array.from({ length: 120 }, (_, at) => ({ ...ofCall, id: 122 - at, action: 'key.wrap' })),
      { ...ofCall, id: 2, action: 'key.create' },
      { ...same, ...none, id: 1, action: 'api_key.create', actor: 'operator' },
    ]);
  });

  test('anyone can recompute the hashes of the entries without a secret', async () => {
    await wrapped(tenant.api, key.key_id, { '10': 'ten', '9': 'nine', é: '"\\/', 'a b': '\u2028' });
    const newest = only(await tenant.entries('limit=1'));
    let previous = genesisHash(tenant.tenant_id);
    for (const entry of [newest, ...all].toReversed()) {
      expect(entryHash(previous, entry)).toBe(entry.hash);
      previous = entry.hash;
    }
    all.unshift(newest);
  });
});

describe('filters', () => {
  test('the filter key_id accepts upper and lower case', async () => {
    const other = await tenant.newKey();
    await wrapped(tenant.api, other.key_id);
    const page = await list(`key_id=${other.key_id}`);
    expect(page.logs.map((entry) => entry.action)).toStrictEqual(['key.wrap', 'key.create']);
    expect(page).toMatchObject({ count: 2, total: 2 });
    expect(await list(`key_id=${other.key_id.toUpperCase()}`)).toMatchObject({ total: 2 });
    expect(await list(`key_id=${other.key_id}&action=key.wrap`)).toMatchObject({ total: 1 });
    expect(await list(`key_id=${key.key_id}&limit=5&offset=100`)).toMatchObject({ count: 5, limit: 5 });
  });

  test('the audit log returns 404 only for a key_id that is not a UUID', async () => {
    for (const text of [key.name, key.key_id.replaceAll('-', ''), `${key.key_id} `]) {
      const answer = await tenant.api.get(`/v1/audit?key_id=${encoded(text)}`);
      expect(answer).toBeProblem('not_found');
    }
    expect(await list(`key_id=${unknownId()}`)).toMatchObject({ logs: [], count: 0, total: 0 });
  });

  test('the filter `actor` finds what an API key, the operator or the service did, and how much', async () => {
    const own = await newTenant();
    const { record, api } = await own.issue({ permissions: ['encrypt', 'keys.manage'] });
    const { key_id } = await own.newKey();
    for (const by of [own.api, api, api]) await wrapped(by, key_id);
    const whole = await own.entries();
    for (const actor of [record.api_key_id, own.apiKeyId, 'operator', 'system', unknownId()]) {
      const made = whole.filter((entry) => entry.actor === actor);
      const found = ok(await own.api.get(`/v1/audit?actor=${actor}`));
      expect(found).toMatchObject({ logs: made, count: made.length, total: made.length, offset: 0 });
    }
    const [, oldest] = whole.filter((entry) => entry.actor === record.api_key_id);
    const filter = `actor=${record.api_key_id.toUpperCase()}&action=key.wrap&limit=1&offset=1`;
    expect(ok(await own.api.get(`/v1/audit?${filter}`))).toMatchObject({ logs: [oldest], total: 2 });
  });

  test.for(['Operator', `${unknownId()} `, 'operator,system'])('the actor %j is 400', async (actor) => {
    const answer = await tenant.api.get(`/v1/audit?actor=${encoded(actor)}`);
    expect(answer).toBeProblem('bad_request', /`actor`/);
  });
});

describe('a filter of a person or an actor', () => {
  const wrapPath = `/v1/keys/${key.key_id}/wrap` as const;
  const wrapFor = (subject: string, fields: object = {}) =>
    tenant.api.post(wrapPath, { dek: newDek(), subject, ...fields });
  const totalOf = async (query: string) => (await list(query)).total;

  test('`subject_id` finds all entries of a subject, by the whole id and by its first half', async () => {
    const subject = crypto.randomUUID();
    for (const user of ['7', '8']) ok(await wrapFor(subject, { user }));
    ok(await wrapFor(crypto.randomUUID(), { user: '7' }));
    const { subject_id } = ok(await tenant.api.post('/v1/subjects/erase', { subject }));
    expect(await wrapFor(subject)).toBeProblem('subject_erased');
    for (const id of [subject_id, subject_id.slice(0, 32)]) {
      const { logs, ...page } = await list(`subject_id=${id}`);
      expect(page).toStrictEqual({ count: 4, total: 4, limit: 50, offset: 0 });
      expect(logs).toMatchObject([
        { action: 'key.wrap', metadata: { outcome: 'refused' } },
        { action: 'subject.erase' },
        { action: 'key.wrap' },
        { action: 'key.wrap', metadata: { subject_created: true } },
      ]);
    }
  });

  test('`user_id` finds the entries of a user, and both find what the user did with the subject', async () => {
    const [subject, user] = [crypto.randomUUID(), crypto.randomUUID()];
    for (const name of [subject, crypto.randomUUID()]) ok(await wrapFor(name, { user }));
    ok(await wrapFor(subject));
    const second = only((await list('limit=1&offset=1')).logs);
    const { user: userId } = second.metadata as { user: string };
    const { subject_id } = ok(await tenant.api.post('/v1/subjects/show', { subject }));
    expect(await totalOf(`user_id=${userId}`)).toBe(2);
    expect(await totalOf(`user_id=${userId}${'0'.repeat(32)}`)).toBe(2);
    expect(await totalOf(`user_id=${userId}&subject_id=${subject_id}`)).toBe(1);
    expect(await totalOf(`subject_id=${userId}`)).toBe(0);
  });

  test('counts up to a number of entries, and then says that there are more', async () => {
    const most = limits.countedEntries;
    const [subject, user] = [crypto.randomUUID(), crypto.randomUUID()];
    const wrap = async (count: number) => {
      const items = Array.from({ length: count }, () => ({ key_id: key.key_id, dek: newDek(), subject }));
      ok(await tenant.api.post('/v1/batch/wrap', { items, user }));
    };
    for (let left = most; left > 0; left -= limits.batchItems) await wrap(Math.min(left, limits.batchItems));
    const { subject_id } = ok(await tenant.api.post('/v1/subjects/show', { subject }));
    const limited = `subject_id=${subject_id}&limit=1`;
    const exact = await list(limited);
    expect(exact).toMatchObject({ count: 1, total: most });
    expect(exact).not.toHaveProperty('total_at_least');
    await wrap(1);
    const { user: userId } = only((await list(limited)).logs).metadata as { user: string };
    for (const filter of [`subject_id=${subject_id}`, `user_id=${userId}`, `actor=${tenant.apiKeyId}`]) {
      const { logs: _, ...page } = await list(`${filter}&limit=1&offset=${most}`);
      expect(page).toStrictEqual({ count: 1, total: null, total_at_least: most, limit: 1, offset: most });
    }
  });

  test('`me` is 400 for an API key, which is nobody', async () => {
    const answer = await tenant.api.get('/v1/audit?subject_id=me');
    expect(answer).toBeProblem('bad_request', /`subject_id=me` needs the token of a user \(got an API key\)/);
  });
});

test('each tenant has a separate log, in which the ids start at 1', async () => {
  const other = await newTenant();
  const { key_id } = await other.newKey();
  expect(await other.entries()).toMatchObject([
    { id: 2, key_id, tenant_id: other.tenant_id },
    { id: 1, key_id: null },
  ]);
  expect(await list(`key_id=${key_id}`)).toMatchObject({ total: 0 });
});

describe('date_from and date_to', async () => {
  const own = await newTenant();
  const { key_id } = await own.newKey();
  for (let number = 0; number < 8; number++) {
    await sleep(5);
    await wrapped(own.api, key_id);
  }
  // oldest first, no two in the same millisecond
  const entries = (await own.entries()).toReversed();

  const page = async (query: string) => ok(await own.api.get(`/v1/audit?${query}`));
  const found = async (query: string) => ids((await page(query)).logs).toReversed();
  const at = (id: number) => entries[id - 1]?.created_at ?? '';
  const shifted = (time: string, milliseconds: number) =>
    new Date(Date.parse(time) + milliseconds).toISOString();

  test('are inclusive, alone and together', async () => {
    expect(await found(`date_from=${at(4)}`)).toStrictEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(await found(`date_to=${at(4)}`)).toStrictEqual([1, 2, 3, 4]);
    expect(await found(`date_from=${at(5)}&date_to=${at(5)}`)).toStrictEqual([5]);
    expect(await found(`date_from=${shifted(at(4), 1)}`)).toStrictEqual([5, 6, 7, 8, 9, 10]);
    expect(await found(`date_to=${shifted(at(4), -1)}`)).toStrictEqual([1, 2, 3]);
    expect(await page(`date_from=${at(6)}&date_to=${at(4)}`)).toMatchObject({ logs: [], count: 0, total: 0 });
  });

  test('leave a `total` that counts the matching entries of all pages', async () => {
    const period = `date_from=${at(3)}&date_to=${at(8)}`;
    const { logs, ...second } = await page(`${period}&limit=2&offset=1`);
    expect(ids(logs)).toStrictEqual([7, 6]);
    expect(second).toStrictEqual({ count: 2, total: 6, limit: 2, offset: 1 });
    expect(await page(`${period}&action=key.create`)).toMatchObject({ count: 0, total: 0 });
    const some = await page(`${period}&action=key.wrap&key_id=${key_id}&offset=5`);
    expect(some).toMatchObject({ count: 1, total: 6 });
  });

  describe.for(['date_from', 'date_to'])('an invalid date in %s returns 400', (name) => {
    test.for(['2026-11-20T10:00:00', '2026-02-29T00:00:00Z'])('%j', async (text) => {
      const answer = await own.api.get(`/v1/audit?${name}=${encoded(text)}`);
      expect(answer).toBeProblem('bad_request', new RegExp(name));
    });

    test('with an unencoded +, and advice', async () => {
      const answer = await own.api.get(`/v1/audit?${name}=2026-11-20T10:00:00+01:00`);
      expect(answer).toBeProblem('bad_request', /%2B/);
    });
  });
});
