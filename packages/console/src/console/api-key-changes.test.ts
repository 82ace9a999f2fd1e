import { expect, test } from 'vitest';
import { changesOf } from './api-key-changes.ts';
import { type ApiKeyDraft, isComplete, originsIn } from './api-key-draft.ts';
import type { ApiKeyRecord } from './api-key-state.ts';

const record: ApiKeyRecord = {
  api_key_id: 'id',
  name: 'web',
  hint: 'abcd',
  permissions: ['encrypt', 'decrypt'],
  key_ids: ['one', 'two'],
  allowed_origins: null,
  expires_at: new Date(Date.now() + 60 * 86_400_000).toISOString(),
  created_at: '2026-01-01T00:00:00.000Z',
  created_by: 'operator',
  revoked_at: null,
  last_used_at: null,
};
const same: ApiKeyDraft = {
  name: 'web',
  permissions: ['decrypt', 'encrypt'],
  keyIds: ['two', 'one'],
  origins: null,
  expires: 'unchanged',
  expiresOn: '',
};
const change = (draft: Partial<ApiKeyDraft>, before: Partial<ApiKeyRecord> = {}) =>
  changesOf({ ...record, ...before }, { ...same, ...draft });

test('if only the order of a list was changed in the form, the page sends no request', () => {
  expect(change({})).toEqual({ fields: {}, losses: [], gains: [] });
});

test('a form that changes only the name shows no gained or lost rights', () => {
  expect(change({ name: 'website' })).toEqual({ fields: { name: 'website' }, losses: [], gains: [] });
});

test('the form names the permissions that an API key loses and gains', () => {
  expect(change({ permissions: ['encrypt', 'keys.read'] })).toEqual({
    fields: { permissions: ['encrypt', 'keys.read'] },
    losses: ['Calls that need decrypt are refused.'],
    gains: ['Calls that need keys.read are allowed.'],
  });
});

test.each([
  [
    ['one', 'two'],
    ['two', 'three', 'four'],
    ['Calls with 1 key are refused.'],
    ['Calls with 2 more keys are allowed.'],
  ],
  [null, ['one'], ['Calls with keys other than 1 key are refused.'], []],
  [['one'], null, [], ['Calls with every other key are allowed.']],
])(
  'the form shows the lost and gained rights if the keys of an API key change from %j to %j',
  (before, after, losses, gains) => {
    expect(change({ keyIds: after }, { key_ids: before })).toEqual({
      fields: { key_ids: after },
      losses,
      gains,
    });
  },
);

test.each([
  ['30', 1, 0],
  ['90', 0, 1],
  ['', 0, 1],
])('the form shows how a change from 60 to %j days changes the expiry', (expires, losses, gains) => {
  const changes = change({ expires });
  expect([changes.losses.length, changes.gains.length]).toEqual([losses, gains]);
  expect(Object.keys(changes.fields)).toEqual(['expires_at']);
});

test('the expiry "never" does not change an API key that never expires', () => {
  expect(change({ expires: '' }, { expires_at: null }).fields).toEqual({});
});

test('a chosen date becomes the expiry, and the form is not complete without the date', () => {
  const draft = { ...same, expires: 'date', expiresOn: '2030-05-01T12:00' };
  expect(changesOf(record, draft).fields).toEqual({ expires_at: new Date('2030-05-01T12:00').toISOString() });
  expect(isComplete(draft)).toBe(true);
  expect(changesOf(record, { ...draft, expiresOn: '' }).fields).toEqual({});
  expect(isComplete({ ...draft, expiresOn: '' })).toBe(false);
});

test.each([
  [null, ['https://a.example'], [], ['https://a.example']],
  [['https://a.example'], null, ['https://a.example'], []],
  [
    ['https://a.example', 'https://b.example'],
    ['https://b.example', 'https://c.example'],
    ['https://a.example'],
    ['https://c.example'],
  ],
])(
  'if the allowed origins change from %j to %j, the form names the origins that lose and gain access',
  (before, after, closed, opened) => {
    expect(change({ origins: after }, { allowed_origins: before })).toEqual({
      fields: { allowed_origins: after },
      losses: closed.map((origin) => `Calls from web pages of ${origin} are refused.`),
      gains: opened.map((origin) => `Calls from web pages of ${origin} are allowed.`),
    });
  },
);

test('the form reduces pasted addresses to their origins and keeps other text', () => {
  const text = ' https://app.example/login?x=1\nHTTPS://App.example:443\nhttp://localhost:5173, app.example ';
  expect(originsIn(text)).toEqual(['https://app.example', 'http://localhost:5173', 'app.example']);
  expect(isComplete({ ...same, origins: originsIn('') })).toBe(false);
});
