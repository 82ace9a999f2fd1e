import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { client, type Client } from '@eaas/test-kit/api';
import { newIssuer } from '@eaas/test-kit/calls';
import { closing } from '@eaas/test-kit/closing';
import { environmentOf, migrated, storedText, createDatabase } from '@eaas/test-kit/database';
import { type IssuedApiKey, ok, type TenantRecord } from '@eaas/test-kit/fixture';
import { eaas, run, serve } from '@eaas/test-kit/program';
import { newSignIn } from '@eaas/test-kit/sign-in';

const database = await createDatabase(migrated);
const env = { ...environmentOf(database.url), EAAS_LOG_LEVEL: 'trace', EAAS_TRUST_PROXY: '127.0.0.1' };
const server = await closing(serve(env), (it) => it.stop());

async function command<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run([...eaas, ...args, '--json'], env);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

const mode = ['--envelope-only', 'false'];
const { tenant_id } = await command<TenantRecord>('tenant', 'create', '--name', 'canary', ...mode);
const all = ['--tenant', tenant_id, '--name', 'all', '--permissions', 'all'];
const { api_key } = await command<IssuedApiKey>('api-key', 'create', ...all);
const api = client(server.baseUrl, api_key);
const key_id = ok(await api.post('/v1/keys', { name: 'canary' })).key_id;
const path = `/v1/keys/${key_id}` as const;

const canary = (what: string) => `${what}-canary-${randomBytes(12).toString('hex')}`;
const [subject, user, signedIn, claim] = [
  canary('subject'),
  canary('user'),
  canary('signed-in'),
  canary('claim'),
];
const signIn = newSignIn();
const { issuer_id } = ok(
  await api.post('/v1/issuers', {
    ...newIssuer(key_id),
    permissions: ['encrypt', 'decrypt', 'audit.own'],
    jwks: { keys: [signIn.jwk] },
  }),
);
const token = signIn.token(signedIn, { claim });
const [, payload = '', signature = ''] = token.split('.');
/** Of who signs in, as the proxy tells it: nobody else has it. */
const address = '2001:db8:cafe:1234:5678:9abc:def1:2345';
const [dataKey, plaintext] = ['a data key that nobody may find!', canary('plaintext')];
const dek = Buffer.from(dataKey).toString('base64');
const rootKey = env['EAAS_ROOT_KEY'] ?? '';
const hidden = {
  subject,
  user,
  signedIn,
  claim,
  address,
  payload,
  signature,
  apiKey: api_key,
  dataKey,
  plaintext,
  rootKey,
};

const answers: string[] = [];

/** Makes each call that names people, as it should be and in wrong ways. */
async function useAll(own: string, who: object, call: Client['post'], isErased = false): Promise<void> {
  const send = async (...args: Parameters<Client['post']>) => {
    const { status, text } = await call(...args);
    answers.push(`${status} ${text}`);
    return JSON.parse(text) as Record<string, string>;
  };
  const named = { subject: own, ...who };
  const { wrapped_key } = await send(`${path}/wrap`, { dek, ...named });
  const { ciphertext } = await send('/v1/encrypt', { key_id, plaintext, ...named });
  for (const people of [
    named,
    { ...who, subject: `${own}-other` },
    { ...who, subject: `${own}\n` },
    { ...who, subject: own.repeat(9) },
    { subject: own, user: `${own}\n` },
    { subject: own, user: [own] },
  ]) {
    const { user: _, ...inItem } = people as { user?: unknown; subject: string };
    for (const verb of ['unwrap', 'rewrap', 'wrap']) {
      const body = verb === 'wrap' ? { dek } : { wrapped_key: wrapped_key ?? 'AAAA' };
      await send(`${path}/${verb}`, { ...body, ...people });
      await send(`/v1/batch/${verb}`, { items: [{ key_id, ...body, ...inItem }], ...who });
      await send(`/v1/batch/${verb}`, { items: [{ key_id, ...body, ...people }] });
    }
    await send('/v1/encrypt', { key_id, plaintext, ...people });
    await send('/v1/decrypt', { key_id, key_version: 1, ciphertext: ciphertext ?? 'AAAA', ...people });
    await send('/v1/hash', { key_id, value: plaintext, ...people });
    await send('/v1/subjects/show', people);
    await send('/v1/subjects/show', { subject_id: own });
  }
  await send('/v1/subjects/erase', { subject: `${own}-unknown` });
  await send('/v1/subjects/erase', { subject: own });
  if (!isErased) await useAll(own, who, call, true);
}

test('a subject, a user, a token, a data key and a plaintext are nowhere in clear text', async () => {
  const userWith = (bearer: string) =>
    client(server.baseUrl, bearer, { 'eaas-issuer': issuer_id, 'x-forwarded-for': address });
  await useAll(subject, { user }, api.post);
  await useAll(signedIn, {}, userWith(token).post);
  ok(await api.post('/v1/subjects/erase', { subject: signedIn }));
  const wrong = [signIn.token(signedIn, { claim, aud: claim }), `${token}x`, `${token}.${claim}`, claim];
  for (const other of wrong) {
    const { text, status } = await userWith(other).get('/v1/usage');
    expect(status).toBe(401);
    answers.push(text);
  }
  // Whoever puts a name into a URL gets no answer that repeats it, and no log line with it.
  for (const query of [`subject_id=${subject}`, `user_id=${user}`, `subject=${subject}`, `token=${token}`]) {
    answers.push((await api.get(`/v1/audit?${query}`)).text);
  }
  const log = await Promise.all([0, 100].map((offset) => api.get(`/v1/audit?limit=100&offset=${offset}`)));
  const exported = await run([...eaas, 'audit', 'export', '--tenant', tenant_id], env);
  const places = {
    database: [await storedText(database), 'subject_created'],
    'audit log': [log.map(({ text }) => text).join(''), 'user_asserted'],
    export: [exported.stdout, 'user_asserted'],
    metrics: [(await api.get('/metrics')).text, 'eaas_'],
    'log lines': [server.log(), '/v1/subjects/erase'],
    answers: [answers.join('\n'), 'subject_erased'],
    refusals: [answers.filter((answer) => !answer.startsWith('200')).join('\n'), 'subject_erased'],
  } as const;
  expect(answers.filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(20);
  for (const [place, [text, control]] of Object.entries(places)) {
    expect([place, text.includes(control)]).toEqual([place, true]);
    for (const [name, secret] of Object.entries(hidden)) {
      if (place === 'answers' && (secret === dataKey || secret === plaintext)) continue;
      const bytes = Buffer.from(secret);
      const encodings = ['utf8', 'hex', 'base64', 'base64url'] as const;
      const found = encodings.filter((encoding) => text.includes(bytes.toString(encoding)));
      expect({ place, name, found }).toEqual({ place, name, found: [] });
    }
  }
});
