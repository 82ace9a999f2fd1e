import { describe, expect, test } from 'vitest';
import { entryHash, genesisHash } from '@eaas/test-kit/decoder';
import { type AuditEntry, newDek, newTenant, ok, only, unknownId, wrapped } from '@eaas/test-kit/fixture';
import { aHash, aTimestamp, auditEntry, aUuid } from './shapes.ts';

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

  test('a page of the audit log has 100 entries if the limit is above 100', async () => {
    for (const limit of ['100', '101', '1000', '9007199254740991', '99999999999999999999']) {
      const page = await list(`limit=${limit}`);
      expect(page).toMatchObject({ count: 100, total: 122, limit: 100 });
      expect(page.logs).toHaveLength(100);
    }
  });

  test('a page of the audit log can start at any offset', async () => {
    for (const offset of [0, 1, 49, 60, 121]) {
      const page = await list(`limit=2&offset=${offset}`);
      expect(page.logs).toStrictEqual(all.slice(offset, offset + 2));
      expect(page).toMatchObject({ count: page.logs.length, total: 122, limit: 2, offset });
    }
    for (const offset of [122, 123, 1_000_000_000]) {
      expect(await list(`offset=${offset}`)).toMatchObject({ logs: [], count: 0, total: 122, offset });
    }
  });
});

describe('an entry', () => {
  test('an audit entry has the documented fields and a hash', () => {
    expect(all[0]).toStrictEqual({
      id: 122,
      tenant_id: tenant.tenant_id,
      action: 'key.wrap',
      key_id: key.key_id,
      key_version: 1,
      actor: tenant.apiKeyId,
      ip_address: expect.stringMatching(/^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:]+)$/),
      metadata: expect.any(Object),
      created_at: aTimestamp,
      hash: aHash,
    });
  });

  test('audit entries have the ids 1, 2, 3 …, starting with the operator’s entry', () => {
    expect(ids(all)).toStrictEqual(Array.from({ length: 122 }, (_, at) => 122 - at));
    expect(all.at(-1)).toStrictEqual(
      auditEntry({
        id: 1,
        action: 'api_key.create',
        key_id: null,
        key_version: null,
        actor: 'operator',
        ip_address: null,
      }),
    );
  });

  test('the times of entries never decrease', () => {
    const times = all.map((entry) => entry.created_at);
    expect(times).toStrictEqual(times.toSorted((a, b) => b.localeCompare(a)));
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
    for (const text of [key.name, 'x', key.key_id.replaceAll('-', ''), `${key.key_id} `]) {
      const answer = await tenant.api.get(`/v1/audit?key_id=${encoded(text)}`);
      expect(answer).toBeProblem('not_found');
    }
    expect(await list(`key_id=${unknownId()}`)).toStrictEqual({
      logs: [],
      count: 0,
      total: 0,
      limit: 50,
      offset: 0,
    });
  });

  test('the filter `actor` finds what an API key, the operator or the service did, and how much', async () => {
    const own = await newTenant();
    const { record, api } = await own.issue({ permissions: ['encrypt', 'keys.manage'] });
    const { key_id } = await own.newKey();
    const path = `/v1/keys/${key_id}` as const;
    for (let nth = 0; nth < 3; nth++) ok(await api.post(`${path}/wrap`, { dek: newDek() }));
    ok(await api.post(`${path}/rotate`));
    ok(await own.api.post(`${path}/wrap`, { dek: newDek(), subject: 'a' }));
    ok(await api.post(`${path}/wrap`, { dek: newDek(), subject: 'a' }));
    const { subject_id } = ok(await own.api.post('/v1/subjects/show', { subject: 'a' }));
    const whole = await own.entries();
    const by = async (actor: string, more = '') => {
      const page = ok(await own.api.get(`/v1/audit?actor=${actor}${more}`));
      return { ...page, ids: ids(page.logs) };
    };
    for (const actor of [record.api_key_id, own.apiKeyId, 'operator', 'system', unknownId()]) {
      const made = ids(whole.filter((entry) => entry.actor === actor));
      expect(await by(actor)).toMatchObject({ ids: made, count: made.length, total: made.length, offset: 0 });
    }
    const [, ...older] = whole.filter((entry) => entry.actor === record.api_key_id);
    expect(await by(record.api_key_id.toUpperCase(), '&limit=2&offset=1')).toMatchObject({
      ids: ids(older.slice(0, 2)),
      total: 5,
    });
    expect((await by(record.api_key_id, '&action=key.rotate')).total).toBe(1);
    expect((await by(record.api_key_id, `&subject_id=${subject_id}`)).total).toBe(1);
  });

  test.for(['', 'Operator', 'x', `${unknownId()} `, 'operator,system'])(
    'the actor %j is 400',
    async (actor) => {
      const answer = await tenant.api.get(`/v1/audit?actor=${encoded(actor)}`);
      expect(answer).toBeProblem('bad_request', /`actor`/);
    },
  );

  test('the filter `action` returns only entries of the given operation', async () => {
    const whole = (await list('limit=1')).total ?? 0;
    let sum = 0;
    for (const action of ['key.wrap', 'key.create', 'api_key.create'] as const) {
      const page = await list(`action=${action}`);
      expect(new Set(page.logs.map((entry) => entry.action))).toStrictEqual(new Set([action]));
      sum += page.total ?? 0;
    }
    expect(sum).toBe(whole);
  });
});

describe('a filter of a person', () => {
  const wrapPath = `/v1/keys/${key.key_id}/wrap` as const;
  const wrapFor = (subject: string, fields: object = {}) =>
    tenant.api.post(wrapPath, { dek: newDek(), subject, ...fields });
  const found = async (query: string) => {
    const { logs, ...page } = await list(query);
    return {
      page,
      actions: logs.map(({ action }) => action),
      metadata: logs.map(({ metadata }) => metadata),
    };
  };

  test('`subject_id` finds all entries of a subject, by the whole id and by its first half', async () => {
    const subject = crypto.randomUUID();
    for (const user of ['7', '8']) ok(await wrapFor(subject, { user }));
    ok(await wrapFor(crypto.randomUUID(), { user: '7' }));
    const { subject_id } = ok(await tenant.api.post('/v1/subjects/erase', { subject }));
    expect(await wrapFor(subject)).toBeProblem('subject_erased');
    for (const id of [subject_id, subject_id.slice(0, 32)]) {
      const { page, actions, metadata } = await found(`subject_id=${id}`);
      expect(page).toStrictEqual({ count: 4, total: 4, limit: 50, offset: 0 });
      expect(actions).toEqual(['key.wrap', 'subject.erase', 'key.wrap', 'key.wrap']);
      expect(metadata[0]).toMatchObject({ outcome: 'refused' });
      expect(metadata[3]).toMatchObject({ subject_created: true });
    }
  });

  test('`user_id` finds the entries of a user, and both find what the user did with the subject', async () => {
    const [subject, user] = [crypto.randomUUID(), crypto.randomUUID()];
    for (const name of [subject, crypto.randomUUID()]) ok(await wrapFor(name, { user }));
    ok(await wrapFor(subject));
    const second = only((await list('limit=1&offset=1')).logs);
    const { user: userId } = second.metadata as { user: string };
    const { subject_id } = ok(await tenant.api.post('/v1/subjects/show', { subject }));
    expect((await found(`user_id=${userId}`)).page.total).toBe(2);
    expect((await found(`user_id=${userId}${'0'.repeat(32)}`)).page.total).toBe(2);
    expect((await found(`user_id=${userId}&subject_id=${subject_id}`)).page.total).toBe(1);
    expect((await found(`subject_id=${userId}`)).page.total).toBe(0);
  });

  test('counts up to 10,000 entries, and then says that there are more', async () => {
    const [subject, user] = [crypto.randomUUID(), crypto.randomUUID()];
    const wrap = async (count: number) => {
      const items = Array.from({ length: count }, () => ({ key_id: key.key_id, dek: newDek(), subject }));
      ok(await tenant.api.post('/v1/batch/wrap', { items, user }));
    };
    for (let batch = 0; batch < 10; batch++) await wrap(1_000);
    const { subject_id } = ok(await tenant.api.post('/v1/subjects/show', { subject }));
    const limited = `subject_id=${subject_id}&limit=1`;
    const exact = await list(limited);
    expect(exact).toMatchObject({ count: 1, total: 10_000 });
    expect(exact).not.toHaveProperty('total_at_least');
    await wrap(1);
    const { user: userId } = only((await list(limited)).logs).metadata as { user: string };
    for (const filter of [`subject_id=${subject_id}`, `user_id=${userId}`]) {
      const { page } = await found(`${filter}&limit=1&offset=10000`);
      expect(page).toStrictEqual({ count: 1, total: null, total_at_least: 10_000, limit: 1, offset: 10_000 });
    }
  });

  test('is not misled by a context that looks like a person', async () => {
    const id = 'c'.repeat(32);
    for (const context of [{ subject: id }, { zz: `","subject":"${id}"}` }, { user: id }])
      ok(await tenant.api.post(wrapPath, { dek: newDek(), context }));
    expect((await found(`subject_id=${id}`)).page.total).toBe(0);
    expect((await found(`user_id=${id}`)).page.total).toBe(0);
  });

  test('is 400 unless it has 32 or 64 lower-case hexadecimal characters', async () => {
    for (const name of ['subject_id', 'user_id'])
      for (const id of ['', 'a'.repeat(31), 'a'.repeat(33), 'A'.repeat(64), 'g'.repeat(32)])
        expect(await tenant.api.get(`/v1/audit?${name}=${id}`)).toBeProblem('bad_request', new RegExp(name));
  });

  test('`me` is 400 for an API key, which is nobody', async () => {
    const answer = await tenant.api.get('/v1/audit?subject_id=me');
    expect(answer).toBeProblem('bad_request', /`subject_id=me` needs the token of a user \(got an API key\)/);
  });
});

test('each tenant has a separate log, in which the ids start at 1', async () => {
  const other = await newTenant();
  const foreign = await other.newKey();
  const entries = await other.entries();
  expect(ids(entries)).toStrictEqual([2, 1]);
  expect(entries).toMatchObject([{ key_id: foreign.key_id, tenant_id: other.tenant_id }, { key_id: null }]);
  expect(entries[0]?.tenant_id).toEqual(aUuid);
  expect(await list(`key_id=${foreign.key_id}`)).toMatchObject({ total: 0 });
});
