// What a user's token opens, as random calls of all routes: a model says which items may succeed.
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { endpoints, type Output } from '@eaas/protocol/wire';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { call, calls, newIssuer, routes } from '@eaas/test-kit/calls';
import { runs } from '@eaas/test-kit/cases';
import { clientOf, newDek, newTenant, ok } from '@eaas/test-kit/fixture';
import { newSignIn } from '@eaas/test-kit/sign-in';

const tenant = await newTenant();
const keyIds = [
  (await tenant.newKey({ intake: true })).key_id,
  (await tenant.newKey({ intake: true })).key_id,
];

/** Users, and which of the keys the issuer names. Names and prefixes are chosen so that one could be taken for another. */
async function usersOf(prefix: string, audience: string, keys: readonly string[]) {
  const signIn = newSignIn();
  const made = await tenant.api.post('/v1/issuers', {
    ...newIssuer(keyIds[0] ?? ''),
    issuer: `https://sign-in.example/${audience}`,
    audience,
    key_ids: keys,
    subject_prefix: prefix,
    permissions: ['encrypt', 'decrypt', 'audit.own'],
    jwks: { keys: [signIn.jwk] },
  });
  const { issuer_id, issuer } = ok(made);
  return Promise.all(
    ['ann', 'b:ann', 'Ann'].map(async (name) => {
      const subject = prefix + name;
      ok(await tenant.api.post(`/v1/keys/${keyIds[0]}/wrap`, { dek: newDek(), subject }));
      const { subject_id } = ok(await tenant.api.post('/v1/subjects/show', { subject }));
      const token = signIn.token(name, { iss: issuer, aud: audience });
      const api = await clientOf(token, { 'eaas-issuer': issuer_id });
      return { subject, keys, api, logId: subject_id };
    }),
  );
}

const users = [...(await usersOf('a:', 'app', keyIds.slice(0, 1))), ...(await usersOf('b:', 'desk', keyIds))];
const owners = [...users.map(({ subject }) => subject), undefined];

/** A value: in wrapped form, and encrypted in server mode. Nobody owns a plain value, nor one of an intake writer. */
interface Value {
  readonly keyId: string;
  readonly owner: string | undefined;
  readonly isPlain: boolean;
  readonly wrapped_key: string;
  readonly secrets: readonly string[];
  readonly bundle: { readonly ciphertext: string; readonly wrapped_key: string };
}

async function valueOf(keyId: string, subject: string | undefined, isIntake = false): Promise<Value> {
  const [dek, plaintext] = [newDek(), `secret ${crypto.randomUUID()}`];
  const who = subject === undefined ? {} : { subject };
  const bundle = ok(await tenant.api.post('/v1/encrypt', { key_id: keyId, plaintext, ...who }));
  const made = { keyId, owner: subject, isPlain: subject === undefined, bundle };
  if (!isIntake) {
    const { wrapped_key } = ok(await tenant.api.post(`/v1/keys/${keyId}/wrap`, { dek, ...who }));
    return { ...made, wrapped_key, secrets: [dek, plaintext] };
  }
  const { intake_public_key } = ok(await tenant.api.get(`/v1/keys/${keyId}/public-key`));
  const { wrappedKey } = await wrapForIntake(
    parsePublicKey(intake_public_key ?? ''),
    Buffer.from(dek, 'base64'),
  );
  return { ...made, wrapped_key: Buffer.from(wrappedKey).toString('base64'), secrets: [dek, plaintext] };
}

const values = (
  await Promise.all(
    keyIds.map((id) =>
      Promise.all([...owners.map((owner) => valueOf(id, owner)), valueOf(id, undefined, true)]),
    ),
  )
).flat();

type Of<Arbitrary> = Arbitrary extends fc.Arbitrary<infer One> ? One : never;

const anyUser = fc.constantFrom(...users);
type User = (typeof users)[number];
const item = fc.record({
  value: fc.constantFrom(...values),
  subject: fc.oneof(fc.constantFrom(...owners), fc.constant('own' as const)),
  keyId: fc.option(fc.constantFrom(...keyIds), { nil: undefined }),
});
type Item = Of<typeof item>;

const verbs = ['wrap', 'unwrap', 'rewrap'] as const;
const shapeOf = (verb: (typeof verbs)[number], { subject: own }: User, { value, subject: named }: Item) => {
  const subject = named === 'own' ? own : named;
  return {
    ...(verb === 'wrap' ? { dek: newDek() } : { wrapped_key: value.wrapped_key }),
    ...(subject !== undefined && { subject }),
  };
};

/** Whether the user may succeed: with the own subject, under a key of the issuer, and only for an own value. */
function isAllowed(verb: string, user: User, { value, subject, keyId = value.keyId }: Item): boolean {
  const isOwn = subject === 'own' || subject === user.subject;
  if (!isOwn || !user.keys.includes(keyId)) return false;
  return verb === 'wrap' || verb === 'encrypt' || (value.owner === user.subject && value.keyId === keyId);
}

function expectNoSecretOfOthers(user: User, text: string): void {
  for (const { owner, secrets } of values) {
    if (owner !== user.subject) for (const secret of secrets) expect(text).not.toContain(secret);
  }
}

/** A wrapped key that a user got opens only under the own subject. Otherwise, a rewrap could hand on what is another's. */
async function expectOwn(user: User, key_id: string, { wrapped_key }: { wrapped_key?: string }) {
  if (wrapped_key === undefined) return;
  const under = owners.map((subject) => ({ key_id, wrapped_key, ...(subject !== undefined && { subject }) }));
  const { results } = ok(await tenant.api.post('/v1/batch/unwrap', { items: under }));
  expect(results.map((result) => 'dek' in result)).toEqual(owners.map((one) => one === user.subject));
  expectNoSecretOfOthers(user, JSON.stringify(results));
}

const dataCall = fc.record({
  kind: fc.constant('data' as const),
  user: anyUser,
  verb: fc.constantFrom(...verbs),
  items: fc.array(item, { minLength: 1, maxLength: 5 }),
  inBatch: fc.boolean(),
});
const serverModeCall = fc.record({
  kind: fc.constant('server mode' as const),
  user: anyUser,
  verb: fc.constantFrom('encrypt' as const, 'decrypt' as const),
  one: item,
  beside: fc.option(fc.constantFrom(...values), { nil: undefined }),
});
const logCall = fc.record({
  kind: fc.constant('log' as const),
  user: anyUser,
  of: fc.constantFrom(...users.map(({ logId }) => logId), 'me', undefined),
  isShort: fc.boolean(),
  userId: fc.option(fc.constantFrom(...users.map(({ logId }) => logId)), { nil: undefined }),
  keyId: fc.option(fc.constantFrom(...keyIds), { nil: undefined }),
  action: fc.option(fc.constantFrom('key.wrap', 'key.unwrap', 'decrypt'), { nil: undefined }),
});
const otherCall = fc.record({
  kind: fc.constant('other' as const),
  user: anyUser,
  route: fc.constantFrom(...routes.filter((route) => !('forUsers' in endpoints[route]))),
  value: fc.constantFrom(...values),
  owner: fc.constantFrom(...owners),
});
const anyCall = fc.oneof(dataCall, serverModeCall, logCall, otherCall);
type AnyCall = Of<typeof anyCall>;

let successes = 0;

async function judge(one: AnyCall): Promise<void> {
  const { user } = one;
  if (one.kind === 'data') return judgeDataCall(one);
  if (one.kind === 'server mode') return judgeServerMode(one);
  if (one.kind === 'log') return judgeLog(one);
  const { route, value, owner } = one;
  const id = calls[route].subject === 'person' ? (owner ?? '') : value.keyId;
  const ciphertext = value.bundle.ciphertext;
  const answer = await call(user.api, route, { id, wrapped_key: value.wrapped_key, ciphertext });
  expect([route, answer.status]).toEqual([route, 403]);
  expect(answer).toBeProblem('permission_missing');
  expectNoSecretOfOthers(user, answer.text);
}

async function judgeDataCall({ user, verb, items, inBatch }: Of<typeof dataCall>) {
  const used = inBatch ? items : items.slice(0, 1);
  const bodies = used.map((each) => ({
    key_id: each.keyId ?? each.value.keyId,
    ...shapeOf(verb, user, each),
  }));
  const [{ key_id, ...body } = { key_id: '' }] = bodies;
  const answer = inBatch
    ? await user.api.post(`/v1/batch/${verb}`, { items: bodies })
    : await user.api.post(`/v1/keys/${key_id}/${verb}`, body);
  expectNoSecretOfOthers(user, answer.text);
  const results = (inBatch ? (answer.body as { results: object[] }).results : [answer.body as object]) as {
    wrapped_key?: string;
    dek?: string;
  }[];
  const succeeded = results.map((result) => 'wrapped_key' in result || 'dek' in result);
  expect(succeeded).toEqual(used.map((each) => isAllowed(verb, user, each)));
  successes += succeeded.filter(Boolean).length;
  for (const [at, result] of results.entries()) await expectOwn(user, bodies[at]?.key_id ?? '', result);
}

async function judgeServerMode({ user, verb, one, beside }: Of<typeof serverModeCall>) {
  const { value, keyId: key_id = value.keyId } = one;
  const { subject } = shapeOf('wrap', user, one);
  const answer = await user.api.post(`/v1/${verb}`, {
    key_id,
    ...(subject !== undefined && { subject }),
    ...(verb === 'encrypt'
      ? { plaintext: 'x' }
      : {
          key_version: 1,
          ciphertext: value.bundle.ciphertext,
          // Another value's wrapped key beside the ciphertext: neither of the two may open.
          ...(beside && { wrapped_key: beside.bundle.wrapped_key }),
        }),
  });
  const isWhole = verb === 'encrypt' || beside === undefined || beside === value;
  expectNoSecretOfOthers(user, answer.text);
  expect(answer.status === 200).toBe(isWhole && isAllowed(verb, user, one));
  if (answer.status !== 200) return;
  successes++;
  if (verb === 'encrypt') await expectOwn(user, key_id, answer.body as { wrapped_key: string });
}

async function judgeLog({ user, of, isShort, userId, keyId, action }: Of<typeof logCall>): Promise<void> {
  const query = new URLSearchParams({ limit: '1' });
  if (of !== undefined) query.set('subject_id', isShort ? of.slice(0, 32) : of);
  if (userId !== undefined) query.set('user_id', userId);
  if (keyId !== undefined) query.set('key_id', keyId);
  if (action !== undefined) query.set('action', action);
  // An API key that names the user's subject finds as many entries, also while other calls add some.
  const own = new URLSearchParams(query);
  own.set('subject_id', user.logId);
  const countOwn = async () => countIn(ok(await tenant.api.get(`/v1/audit?${own}`)));
  const before = await countOwn();
  const answer = await user.api.get(`/v1/audit?${query}`);
  const isReached = keyId === undefined || user.keys.includes(keyId);
  if (!isReached || (of !== user.logId && of !== 'me')) {
    return void expect(answer).toBeProblem(isReached ? 'permission_missing' : 'not_found');
  }
  successes++;
  expect(answer).toHaveStatus(200);
  const count = countIn(answer.body);
  expect(count).toBeGreaterThanOrEqual(before);
  expect(count).toBeLessThanOrEqual(await countOwn());
  expectNoSecretOfOthers(user, answer.text);
  for (const { subject, logId } of users) {
    expect(answer.text).not.toContain(`"${subject}"`);
    expect(answer.text).not.toContain(`"subject":"${logId.slice(0, 32)}`);
  }
}

type Counted = Pick<Output<'GET /v1/audit'>, 'total' | 'total_at_least'>;

/** How many entries a list has, as far as they are counted. */
const countIn = ({ total, total_at_least }: Counted): number => total ?? total_at_least ?? NaN;

test('a token reaches no value of another user by any call, alone or beside calls of others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 8 }), async (some) => {
      await Promise.all(some.map(judge));
    }),
    { numRuns: runs(500) },
  );
  expect(successes).toBeGreaterThan(20);
  // Refusals and batches are recorded too: none has the address of a person, and each of the API key has one.
  for (const { actor, ip_address } of await tenant.entries()) {
    expect([actor, typeof ip_address === 'string']).toEqual([actor, actor === tenant.apiKeyId]);
  }
});
