import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { asJson, type Client } from '@eaas/test-kit/api';
import { newIssuer } from '@eaas/test-kit/calls';
import { clientOf, keyIn, newDek, newestEntry, newTenant, ok, unknownId } from '@eaas/test-kit/fixture';
import { algorithms, inSeconds, newSignIn, signed, type SignIn, textOf } from '@eaas/test-kit/sign-in';

const tenant = await newTenant();
const { key_id } = await tenant.newKey();
const other = await tenant.newKey();
const path = `/v1/keys/${key_id}` as const;
const signIn = newSignIn();
const { issuer_id } = await issuerOf(signIn);
const hex = expect.stringMatching(/^[0-9a-f]{32}$/) as string;

async function issuerOf({ jwk }: SignIn, fields: object = {}) {
  const jwks = { keys: [jwk] };
  return ok(await tenant.api.post('/v1/issuers', { ...newIssuer(key_id), jwks, ...fields }));
}

/** Sends as a user, with the token and the issuer's id. */
const userOf = (token: string, issuer = issuer_id) => clientOf(token, { 'eaas-issuer': issuer });

const as = (user: string, claims?: object, header?: object) => userOf(signIn.token(user, claims, header));
const wrap = (api: Client, fields: object = {}) => api.post(`${path}/wrap`, { dek: newDek(), ...fields });
const wrapFor = async (subject?: string) => {
  const dek = newDek();
  const { wrapped_key } = ok(await tenant.api.post(`${path}/wrap`, { dek, ...(subject && { subject }) }));
  return { dek, wrapped_key };
};
const statusOf = async (token: string, issuer = issuer_id) =>
  (await wrap(await userOf(token, issuer), { subject: 'ann' })).status;

test.each(algorithms)(
  'a token under %s wraps and unwraps for its own user, whom the log names',
  async (alg) => {
    const own = newSignIn(alg);
    const issuer = await issuerOf(own, { audience: alg });
    const api = await userOf(own.token('ann', { aud: alg }), issuer.issuer_id);
    const { wrapped_key } = ok(await wrap(api, { subject: 'ann' }));
    const { metadata, ...entry } = await newestEntry(tenant);
    expect(entry).toMatchObject({ actor: issuer.issuer_id, action: 'key.wrap' });
    expect(metadata).toMatchObject({ user: hex, subject: hex });
    expect(metadata).not.toHaveProperty('user_asserted');
    expect(ok(await api.post(`${path}/unwrap`, { wrapped_key, subject: 'ann' })).dek).toBeTypeOf('string');
  },
);

const publicKey = createPublicKey(signIn.key);
const header = { alg: 'ES256', typ: 'JWT', kid: signIn.jwk.kid };
const claims = () => ({
  iss: signIn.issuer,
  aud: signIn.audience,
  sub: 'ann',
  iat: inSeconds(),
  exp: inSeconds(600),
});

const made = (head: unknown, body: unknown) => signed('ES256', signIn.key, head, body);
const stranger = newSignIn();

describe('the one 401', () => {
  const wrong: Readonly<Record<string, () => string>> = {
    'of another `iss`': () => signIn.token('ann', { iss: 'https://evil.example' }),
    'for another audience': () => signIn.token('ann', { aud: 'https://evil.example' }),
    'without an audience': () => signIn.token('ann', { aud: undefined }),
    'for several audiences without `azp`': () => signIn.token('ann', { aud: [signIn.audience, 'b'] }),
    'without `exp`': () => signIn.token('ann', { exp: undefined }),
    'without `iat`': () => signIn.token('ann', { iat: undefined }),
    'that has expired': () => signIn.token('ann', { iat: inSeconds(-600), exp: inSeconds(-61) }),
    'from the future': () => signIn.token('ann', { iat: inSeconds(90) }),
    'that is not valid yet': () => signIn.token('ann', { nbf: inSeconds(90) }),
    'that lives too long': () => signIn.token('ann', { exp: inSeconds(3_700) }),
    'that lives too long and ends soon': () =>
      signIn.token('ann', { iat: inSeconds(-7_200), exp: inSeconds(600) }),
    'without a subject': () => signIn.token('ann', { sub: undefined }),
    'whose subject is empty': () => signIn.token(''),
    'whose subject has a control character': () => signIn.token('a\nb'),
    'whose subject is too long': () => signIn.token('x'.repeat(257)),
    'that is bound to a key': () => signIn.token('ann', { cnf: { jkt: 'x' } }),
    'that is a statement about events': () => signIn.token('ann', { events: {} }),
    'with an unknown `typ`': () => signIn.token('ann', {}, { typ: 'logout+jwt' }),
    'with `crit`': () => signIn.token('ann', {}, { crit: ['x'], x: 1 }),
    'with an unknown `kid`': () => signIn.token('ann', {}, { kid: 'x' }),
    'signed by another key': () => stranger.token('ann', {}, { kid: signIn.jwk.kid }),
    'without a signature': () => `${textOf({ ...header, alg: 'none' })}.${textOf(claims())}.`,
    'that says `none` and keeps its signature': () => signIn.token('ann', {}, { alg: 'none' }),
    'under HS256 with the public key as the secret': () =>
      signed('HS256', publicKey, { ...header, alg: 'HS256' }, claims()),
    'under RS256 with a key for ES256': () => signIn.token('ann', {}, { alg: 'RS256' }),
    'under ES384': () => signIn.token('ann', {}, { alg: 'ES384' }),
    'with an `alg` from the prototype': () => signIn.token('ann', {}, { alg: 'constructor' }),
    'with a list as its `alg`': () => signIn.token('ann', {}, { alg: ['ES256'] }),
    'with its own key in the header': () =>
      signed('ES256', stranger.key, { ...header, kid: undefined, jwk: stranger.jwk }, claims()),
    'with `alg` twice, and `none` last': () =>
      made(JSON.stringify(header).replace(/\}$/, ',"alg":"none"}'), claims()),
    'whose claims are a list': () => made(header, [claims()]),
    'whose claims are no JSON': () => made(header, '{"iss":'),
    'whose signature is cut': () => signIn.token('ann').slice(0, -4),
    'with a fourth part': () => `${signIn.token('ann')}.x`,
    'of more than 8 KiB': () => signIn.token('ann', { more: 'x'.repeat(6_200) }),
    'with spaces in its base64': () => signIn.token('ann').replace('.', '=.'),
  };

  test.each(Object.entries(wrong))('answers a token %s', async (_, token) => {
    expect(await wrap(await userOf(token()), { subject: 'ann' })).toBeProblem('unauthorized');
  });

  test('and a token that is right in all of this works', async () => {
    const right = [
      signIn.token('ann'),
      signIn.token('ann', { aud: [signIn.audience] }),
      signIn.token('ann', { iat: inSeconds(-600), exp: inSeconds(-30) }),
      signIn.token('ann', { exp: inSeconds(3_600) }),
      signIn.token('ann', {}, { typ: 'at+jwt' }),
      signIn.token('ann', {}, { typ: undefined, kid: undefined }),
      signIn.token('ann', { more: 'x'.repeat(5_000) }),
      made(JSON.stringify(header).replace('{', '{"alg":"none",'), claims()),
    ];
    for (const token of right) expect(await statusOf(token)).toBe(200);
    // Of claims with the same name the last counts.
    const ben = made(header, JSON.stringify(claims()).replace(/\}$/, ',"sub":"ben"}'));
    expect(await statusOf(ben)).toBe(403);
  });

  test('answers every wrong way to send the token', async () => {
    const token = signIn.token('ann');
    for (const issuer of ['', 'x', unknownId(), `${issuer_id}, ${issuer_id}`, key_id]) {
      expect(await statusOf(token, issuer)).toBe(401);
    }
    expect(await wrap(await clientOf(token), { subject: 'ann' })).toBeProblem('unauthorized');
    expect(await statusOf(tenant.api.token ?? '')).toBe(401);
    expect(await wrap(await userOf(''), { subject: 'ann' })).toBeProblem('unauthorized');
    const answers = await Promise.all([
      wrap(await userOf(signIn.token('ann', { iss: 'x' })), { subject: 'ann' }),
      wrap(await clientOf('eaas_sk_x')),
    ]);
    const [first, second] = answers.map(({ body, headers }) => [body, headers.get('www-authenticate')]);
    expect(first).toEqual(second);
  });

  test('answers a token that two keys fit, unless the token names its key', async () => {
    const [one, two] = [newSignIn(), newSignIn()];
    const keys = [one.jwk, two.jwk];
    const issuer = await issuerOf(one, { jwks: { keys } });
    const status = (kid: string | undefined) => statusOf(one.token('ann', {}, { kid }), issuer.issuer_id);
    expect([await status(undefined), await status(one.jwk.kid)]).toEqual([401, 200]);
  });

  test.each([
    ['a key for another algorithm', { alg: 'ES384' }],
    ['a key for encryption', { use: 'enc' }],
  ])('answers a token under %s', async (_, member) => {
    const one = newSignIn();
    const issuer = await issuerOf(one, { jwks: { keys: [{ ...one.jwk, ...member }] } });
    expect(await statusOf(one.token('ann'), issuer.issuer_id)).toBe(401);
  });
});

test('a claim that is a UUID names the same person in upper and in lower case', async () => {
  const id = crypto.randomUUID();
  const api = await as(id.toUpperCase());
  for (const subject of [id, id.toUpperCase()]) expect(await wrap(api, { subject })).toHaveStatus(200);
});

test('several audiences are accepted with an authorized party', async () => {
  const issuer = await issuerOf(signIn, { authorized_parties: ['web'] });
  const token = (azp: string, other: unknown = 'b') =>
    signIn.token('ann', { aud: [signIn.audience, other], azp });
  expect(await statusOf(token('web'), issuer.issuer_id)).toBe(200);
  expect(await statusOf(token('other'), issuer.issuer_id)).toBe(401);
  expect(await statusOf(token('web', 1), issuer.issuer_id)).toBe(401);
});

describe('a change of the issuer counts at once, also for a token that was verified', () => {
  test.each<[string, object, number]>([
    ['another key', { jwks: { keys: [stranger.jwk] } }, 401],
    ['a shorter age', { max_age_seconds: 60 }, 401],
    ['a claim that the token lacks', { require: { role: ['staff'] } }, 403],
    ['other keys of the service', { key_ids: [other.key_id] }, 404],
    ['fewer permissions', { permissions: ['decrypt'] }, 403],
  ])('%s', async (_, change, status) => {
    const issuer = await issuerOf(signIn);
    const token = signIn.token('ann');
    expect(await statusOf(token, issuer.issuer_id)).toBe(200);
    ok(await tenant.api.patch(`/v1/issuers/${issuer.issuer_id}`, change));
    expect(await statusOf(token, issuer.issuer_id)).toBe(status);
    ok(await tenant.api.delete(`/v1/issuers/${issuer.issuer_id}`));
    expect(await statusOf(token, issuer.issuer_id)).toBe(401);
  });
});

test('required claims are text or lists, and all must match', async () => {
  const require = { role: ['nurse', 'doctor'], ward: ['7'] };
  const issuer = await issuerOf(signIn, { require });
  const status = (own: object) => statusOf(signIn.token('ann', own), issuer.issuer_id);
  expect(await status({ role: 'nurse', ward: '7' })).toBe(200);
  expect(await status({ role: ['cook', 'doctor'], ward: ['7'] })).toBe(200);
  for (const own of [{}, { role: 'nurse' }, { role: 'cook', ward: '7' }, { role: 'nurse', ward: 7 }]) {
    expect(await status(own)).toBe(403);
  }
});

describe('browsers', () => {
  test('an origin must be allowed', async () => {
    const from = async (issuer: string, origin: string) => {
      const api = await userOf(signIn.token('ann'), issuer);
      const body = JSON.stringify({ dek: newDek(), subject: 'ann' });
      return api.send('POST', `${path}/wrap`, body, { ...asJson, origin });
    };
    expect(await from(issuer_id, 'https://app.example')).toBeProblem('origin_refused');
    const issuer = await issuerOf(signIn, { allowed_origins: ['https://app.example'] });
    expect(await from(issuer.issuer_id, 'https://app.example')).toHaveStatus(200);
    expect(await from(issuer.issuer_id, 'https://evil.example')).toBeProblem('origin_refused');
  });
});

test('a body cannot say who acts', async () => {
  const api = await as('ann');
  expect(await wrap(api, { subject: 'ann', user: 'ben' })).toBeProblem('bad_request', /user/);
  const items = [{ key_id, dek: newDek(), subject: 'ann' }];
  expect(await api.post('/v1/batch/wrap', { items, user: 'ann' })).toBeProblem('bad_request', /user/);
});

test('an erased user is told so, and another one is not', async () => {
  const subject = crypto.randomUUID();
  const { wrapped_key } = await wrapFor(subject);
  ok(await tenant.api.post('/v1/subjects/erase', { subject }));
  const unwrap = async (user: string) => (await as(user)).post(`${path}/unwrap`, { wrapped_key, subject });
  expect(await unwrap(subject)).toBeProblem('subject_erased');
  expect(await unwrap('ann')).toBeProblem('permission_missing');
});

describe('what a user asks for others is one entry a request, without subject and context', async () => {
  const ben = await wrapFor('ben');
  const bundle = ok(await tenant.api.post('/v1/encrypt', { key_id, plaintext: 'secret', subject: 'ben' }));
  const others = [...Array.from({ length: 20 }, () => 'ben'), 'nobody', undefined];
  const context = { row: 'chosen by the sender' };
  const { subject_id } = ok(await tenant.api.post('/v1/subjects/show', { subject: 'ben' }));
  const reportOfBen = async () =>
    ok(await tenant.api.get(`/v1/audit?subject_id=${subject_id}&limit=1`)).total;

  /** Calls as Ann, and returns what the log then has. */
  async function recorded(call: (api: Client) => Promise<unknown>) {
    const [{ id: before }, report] = [await newestEntry(tenant), await reportOfBen()];
    await call(await as('ann'));
    expect(await reportOfBen()).toBe(report);
    const { id, metadata } = await newestEntry(tenant);
    const { key_version: _, ...shown } = metadata;
    return { entries: id - before, metadata: shown };
  }
  const refused = (items: number, entries = 1) => ({
    entries,
    metadata: { code: 'permission_missing', items, outcome: 'refused', user: hex },
  });

  test.each(['wrap', 'unwrap', 'rewrap'] as const)('in a batch: %s', async (verb) => {
    const what = verb === 'wrap' ? { dek: newDek() } : { wrapped_key: ben.wrapped_key };
    const items = others.map((subject) => ({ key_id, ...what, context, ...(subject && { subject }) }));
    const call = async (api: Client) => {
      const { results } = ok(await api.post(`/v1/batch/${verb}`, { items }));
      expect(results).toMatchObject(others.map(() => ({ error: { code: 'permission_missing' } })));
    };
    expect(await recorded(call)).toStrictEqual(refused(22));
  });

  test.each<[string, string, object]>([
    ['wrap', `${path}/wrap`, { dek: newDek() }],
    ['unwrap', `${path}/unwrap`, { wrapped_key: ben.wrapped_key }],
    ['rewrap', `${path}/rewrap`, { wrapped_key: ben.wrapped_key }],
    ['encrypt', '/v1/encrypt', { key_id, plaintext: 'x' }],
    ['decrypt', '/v1/decrypt', { key_id, key_version: 1, ciphertext: bundle.ciphertext }],
  ])('alone: %s', async (_, route, fields) => {
    const call = async (api: Client) => {
      for (const subject of ['ben', 'nobody', undefined]) {
        const answer = await api.post(route, { ...fields, context, ...(subject && { subject }) });
        expect(answer).toBeProblem('permission_missing');
      }
    };
    expect(await recorded(call)).toStrictEqual(refused(1, 3));
  });

  test('whatever the state of the key', async () => {
    const { key_id: pending } = await keyIn(tenant, 'pending_destruction');
    const issuer = await issuerOf(signIn, { key_ids: [pending] });
    const { entries } = await recorded(async () => {
      const api = await userOf(signIn.token('ann'), issuer.issuer_id);
      const unwrap = (subject: string) =>
        api.post(`/v1/keys/${pending}/unwrap`, { wrapped_key: ben.wrapped_key, subject });
      expect(await unwrap('ben')).toBeProblem('permission_missing');
      expect(await unwrap('ann')).toBeProblem('key_state');
    });
    expect(entries).toBe(2);
  });
});

test('staff opens the data of every subject, and the log names who', async () => {
  const issuer = await issuerOf(signIn, { any_subject: true, require: { role: ['staff'] } });
  const { dek, wrapped_key } = await wrapFor('ben');
  const plain = await wrapFor();
  const api = await userOf(signIn.token('ann', { role: 'staff' }), issuer.issuer_id);
  expect(ok(await api.post(`${path}/unwrap`, { wrapped_key, subject: 'ben' })).dek).toBe(dek);
  expect(ok(await api.post(`${path}/unwrap`, { wrapped_key: plain.wrapped_key })).dek).toBe(plain.dek);
  expect(await newestEntry(tenant)).toMatchObject({
    ip_address: expect.any(String),
    metadata: { user: hex },
  });
  ok(await api.post('/v1/hash', { key_id, value: 'x' }));
  expect(await api.get('/v1/keys')).toBeProblem('permission_missing');
  expect(await api.get('/v1/audit')).toBeProblem('permission_missing');
});

test.each([
  ['a user', {}],
  ['staff', { any_subject: true, require: { sub: ['ann'] } }],
])('%s sees the entries about the own data, without addresses, contexts and ids', async (_, fields) => {
  const issuer = await issuerOf(signIn, { permissions: ['encrypt', 'audit.own'], ...fields });
  const api = await userOf(signIn.token('ann'), issuer.issuer_id);
  ok(await wrap(api, { subject: 'ann', context: { row: 'secret' } }));
  await wrapFor('ben');
  const idOf = async (subject: string) =>
    ok(await tenant.api.post('/v1/subjects/show', { subject })).subject_id;
  const [ann, ben] = [await idOf('ann'), await idOf('ben')];
  const answer = await api.get(`/v1/audit?subject_id=${ann}&limit=1`);
  const shown = { action: 'key.wrap', key_id, created_at: expect.any(String), metadata: { user: hex } };
  expect(ok(answer)).toMatchObject({ count: 1, logs: [shown] });
  expect(answer.text).not.toMatch(/secret|127\.0\.0\.1|"actor"|"hash"|"subject"|"id"/);
  const own = ok(await api.get(`/v1/audit?subject_id=${ann}`));
  for (const id of [ann.slice(0, 32), 'me']) {
    expect(ok(await api.get(`/v1/audit?subject_id=${id}`))).toStrictEqual(own);
  }
  expect(await api.get(`/v1/audit?user_id=me&subject_id=me`)).toBeProblem('bad_request', /user_id/);
  for (const query of ['', `?subject_id=${ben}`, `?key_id=${key_id}`, `?user_id=${ann}`]) {
    expect(await api.get(`/v1/audit${query}`)).toBeProblem('permission_missing');
  }
  expect(await api.get(`/v1/audit?subject_id=me&key_id=${other.key_id}`)).toBeProblem('not_found');
});

test('a user gets no receipt, neither for a call nor for an item of a batch', async () => {
  const api = await as('ann');
  const before = (await newestEntry(tenant)).id;
  const own = { key_id, dek: newDek(), subject: 'ann' };
  const answers = [
    await wrap(api, { subject: 'ann' }),
    await wrap(api),
    await api.post('/v1/batch/wrap', { items: [own, { key_id, dek: newDek() }] }),
  ];
  expect(answers.map(({ status }) => status)).toStrictEqual([200, 403, 200]);
  expect((await newestEntry(tenant)).id).toBe(before + 4);
  for (const { headers, text } of answers) {
    expect(headers.get('eaas-entry')).toBeNull();
    expect(text).not.toContain('"entry"');
  }
});
