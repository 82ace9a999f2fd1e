import { type ApiKeyRecord, EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { fieldIn, type Fields, openForm, withoutNames } from '../parts/form.ts';
import { apiKeyFields } from './api-key-fields.ts';
import { type IssuerRecord, signInFields, whoseData } from './sign-in-fields.tsx';

/** What fields of a form show, by their names. */
type Draft = Readonly<Record<string, unknown>>;

function fill<Body, Whole>(fields: Fields<Body, Whole>, draft: Draft, record?: Whole) {
  const form = openForm(fields, record);
  for (const [name, shown] of Object.entries(draft)) {
    Object.assign(form.shown[name] as object, { value: shown });
  }
  return { ...form, changes: () => ({ fields: form.body(), ...form.says() }) };
}

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
const edit = (draft: Draft, before: Partial<ApiKeyRecord> = {}) =>
  fill(apiKeyFields, draft, { ...record, ...before });
const change = (draft: Draft, before: Partial<ApiKeyRecord> = {}) => edit(draft, before).changes();
const expiring = (choice: string, on = '') => ({ expires_at: { choice, on, now: record.expires_at } });

test('if only the order of a list was changed in the form, the page sends no request', () => {
  expect(change({ permissions: ['decrypt', 'encrypt'], key_ids: ['two', 'one'] })).toEqual({
    fields: {},
    losses: [],
    gains: [],
  });
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
    expect(change({ key_ids: after }, { key_ids: before })).toEqual({
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
  const changes = change(expiring(expires));
  expect([changes.losses.length, changes.gains.length]).toEqual([losses, gains]);
  expect(Object.keys(changes.fields)).toEqual(['expires_at']);
});

test('the expiry "never" does not change an API key that never expires', () => {
  expect(change({ expires_at: { choice: '', on: '', now: null } }, { expires_at: null }).fields).toEqual({});
});

test('a chosen date becomes the expiry, and the form is not complete without the date', () => {
  const on = '2030-05-01T12:00';
  expect(change(expiring('date', on)).fields).toEqual({ expires_at: new Date(on).toISOString() });
  expect(edit(expiring('date', on)).faults()).toEqual({});
  expect(change(expiring('date')).fields).toEqual({});
  expect(edit(expiring('date')).faults()).toEqual({ expires_at: 'Choose a date and a time.' });
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
    const lines = after?.join('\n') ?? '';
    const draft = { allowed_origins: { isForPages: after !== null, lines } };
    expect(change(draft, { allowed_origins: before })).toEqual({
      fields: { allowed_origins: after },
      losses: closed.map((origin) => `Calls from web pages of ${origin} are refused.`),
      gains: opened.map((origin) => `Calls from web pages of ${origin} are allowed.`),
    });
  },
);

test('the form reduces pasted addresses to their origins and keeps other text', () => {
  const text = ' https://app.example/login?x=1\nHTTPS://App.example:443\nhttp://localhost:5173, app.example ';
  const typed = (lines: string) => edit({ allowed_origins: { isForPages: true, lines } });
  expect(typed(text).body()).toEqual({
    allowed_origins: ['https://app.example', 'http://localhost:5173', 'app.example'],
  });
  expect(Object.keys(typed(' ').faults())).toEqual(['allowed_origins']);
});

test('an API key for web pages keeps no permission that it cannot have, and needs another', () => {
  const draft = {
    permissions: ['keys.manage'],
    allowed_origins: { isForPages: true, lines: 'https://a.example' },
  };
  expect(edit(draft).read('permissions')).toEqual([]);
  expect(edit(draft).faults()).toEqual({ permissions: 'Choose at least one permission.' });
});

const filled = (draft: Draft, issuer?: IssuerRecord) => fill(signInFields, draft, issuer);
const pasted = { from: 'text', uri: '' } as const;

const jwks = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', kid: '1', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
};

async function accepted(more: Draft = {}) {
  const client = new EaasClient({ ...createTestService() });
  const { key_id } = await client.keys.create({ name: 'patients' });
  const draft: Draft = {
    name: 'patients',
    issuer: 'https://sign-in.example',
    audience: 'app',
    jwks_uri: pasted,
    jwks: JSON.stringify({ ...jwks, more: 'of the provider' }),
    key_ids: [key_id],
    ...more,
  };
  return { client, draft, issuer: await client.issuers.create(filled(draft).body()) };
}

test('the form of a sign-in sends every field, and shows the record as it is', async () => {
  const { draft, issuer } = await accepted({
    kind: 'staff',
    require: 'role=doctor, nurse\n\n house = a ',
    authorized_parties: 'web\n app ',
    allowed_origins: { isForPages: true, lines: 'https://app.example' },
    subject_claim: 'oid',
    subject_prefix: 'staff:',
    max_age_seconds: '900',
  });
  expect(filled(draft).faults()).toEqual({});
  expect(issuer).toMatchObject({
    jwks,
    any_subject: true,
    require: { role: ['doctor', 'nurse'], house: ['a'] },
    authorized_parties: ['web', 'app'],
    allowed_origins: ['https://app.example'],
    subject_claim: 'oid',
    subject_prefix: 'staff:',
    max_age_seconds: 900,
    expires_at: null,
  });
  expect(filled({}, issuer).changes()).toEqual({ fields: {}, losses: [], gains: [] });
});

test('the form of a workload sends its kind, and shows it', async () => {
  const { issuer } = await accepted({
    kind: 'workload',
    require: 'namespace=shop',
    permissions: ['decrypt', 'keys.manage'],
  });
  expect(issuer).toMatchObject({
    kind: 'workload',
    any_subject: false,
    permissions: ['decrypt', 'keys.manage'],
  });
  expect([filled({}, issuer).shown['kind']?.value, whoseData(issuer)]).toEqual([
    'workload',
    'all data (workload)',
  ]);
  expect(filled({ name: 'shop' }, issuer).changes().fields).toEqual({ name: 'shop' });
});

test('an address of a key set is sent instead of pasted keys', () => {
  const sent = filled({ jwks_uri: { from: 'uri', uri: ' https://sign-in.example/jwks ' }, jwks: 'x' }).body();
  expect(sent).toMatchObject({ jwks_uri: 'https://sign-in.example/jwks' });
  expect(sent).not.toHaveProperty('jwks');
});

test('a change is sent alone, and says what it takes away and what it gives', async () => {
  const { client, issuer } = await accepted({ require: 'role=doctor' });
  const draft = { require: '', max_age_seconds: '7200', permissions: ['decrypt'] };
  const { fields, ...says } = filled(draft, issuer).changes();
  expect({ fields, ...says }).toEqual({
    fields: { permissions: ['decrypt'], require: null, max_age_seconds: 7_200 },
    losses: ['Calls that need encrypt are refused.'],
    gains: [
      'Tokens that have what is now required are accepted.',
      'Tokens that are valid for up to 7200 seconds are accepted.',
    ],
  });
  const { issuer_id } = issuer;
  expect(await client.issuers.update(issuer_id, { ...fields })).toMatchObject(fields);
  expect((await client.issuers.revoke(issuer_id)).revoked_at).not.toBeNull();
  expect((await client.issuers.page({})).issuers).toHaveLength(1);
});

test('claims that hold a comma are not sent again, if their text was not changed', async () => {
  const { issuer } = await accepted();
  const issuerWithComma = { ...issuer, require: { name_of_house: ['Turin, north'] } };
  expect(filled({ name: 'house' }, issuerWithComma).changes().fields).toEqual({ name: 'house' });
  expect(filled({ authorized_parties: 'web' }, issuer).changes().fields).toEqual({
    authorized_parties: ['web'],
  });
});

test.each<[Draft, string]>([
  [{ jwks_uri: pasted, jwks: '{}' }, 'jwks'],
  [{ jwks_uri: pasted, jwks: '-----BEGIN' }, 'jwks'],
  [{ permissions: [] }, 'permissions'],
  [{ key_ids: [] }, 'key_ids'],
  [{ allowed_origins: { isForPages: true, lines: ' ' } }, 'allowed_origins'],
  [{ require: 'doctor' }, 'require'],
  [{ require: 'role=a\nrole=b' }, 'require'],
  [{ require: 'role=' }, 'require'],
  [{ kind: 'staff' }, 'require'],
  [{ kind: 'workload' }, 'require'],
])('the form %j has a fault in %s', (draft, field) => {
  expect(Object.keys(filled({ key_ids: ['id'], ...draft }).faults())).toEqual([field]);
});

test('an error of the service is shown beside the field that it names', async () => {
  const { client, draft } = await accepted();
  const failing = async (more: Draft): Promise<string> => {
    const error = await client.issuers
      .create(filled({ ...draft, ...more }).body())
      .catch((caught: Error) => caught);
    return error instanceof Error ? error.message : '';
  };
  for (const [more, field] of [
    [{ subject_claim: 'email' }, 'subject_claim'],
    [{ issuer: 'https://other.example' }, 'subject_prefix'],
    [{ key_ids: ['00000000-0000-4000-8000-000000000000'] }, 'key_ids'],
    [{ jwks: '{"keys":[{"kty":"oct"}]}' }, 'jwks'],
    [{ jwks_uri: { from: 'uri', uri: 'http://sign-in.example/jwks' } }, 'jwks_uri'],
    [{ allowed_origins: { isForPages: true, lines: 'app' } }, 'allowed_origins'],
    [{ max_age_seconds: '1' }, 'max_age_seconds'],
  ] as const) {
    expect(fieldIn(await failing(more), filled({}))).toBe(field);
  }
  expect(fieldIn('Nothing is named here.', filled({}))).toBeUndefined();
  const second = { isForPages: true, lines: 'https://app.example\napp' };
  expect(withoutNames(await failing({ allowed_origins: second }))).toMatch(/^Line 2 must be an origin like/);
});
