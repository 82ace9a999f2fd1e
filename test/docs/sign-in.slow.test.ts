// Runs sign-in.md against a real OpenID provider, in a real browser: each guide with tokens as its provider makes them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { whereAvailable } from '@eaas/test-kit/available';
import { type Browser, hasChromium, launchChromium, type Page } from '@eaas/test-kit/chromium';
import { closing } from '@eaas/test-kit/closing';
import { commandLine } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { blocksOf, codesIn, commandsOf, read, rowsUnder } from '@eaas/test-kit/markdown';
import { serve } from '@eaas/test-kit/program';
import { beforeAll, expect, test } from 'vitest';
import { openApp, openProvider, type TokensOf } from './open-id-provider.ts';

const page = read('packages/sdk/docs/sign-in.md');
const app = 'https://app.example';
const api = 'https://eaas.example';

interface Guide extends TokensOf {
  readonly title: string;
  /** What the library of the provider has in a page. `token` returns the token of the signed-in user. */
  readonly library: string;
}

const uuidOf = (user: string): string =>
  `${Buffer.from(user.padEnd(4)).toString('hex')}-aaaa-4bbb-8ccc-0123456789ab`;

const guides: readonly Guide[] = [
  {
    title: 'Supabase',
    iss: 'https://abcdefghijklmnopqrst.supabase.co/auth/v1',
    alg: 'ES256',
    typ: 'JWT',
    lifetime: 3_600,
    claims: (user) => ({
      aud: 'authenticated',
      sub: uuidOf(user),
      role: 'authenticated',
      email: `${user}@example.com`,
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: 1_700_000_000 }],
      session_id: uuidOf('s'),
      is_anonymous: false,
      app_metadata: { provider: 'email' },
    }),
    jwksPath: '/auth/v1/.well-known/jwks.json',
    library:
      'supabase = { auth: { getSession: async () => ({ data: { session: { access_token: token() } } }) } }',
  },
  {
    title: 'Clerk',
    iss: 'https://clerk.app.example',
    alg: 'RS256',
    typ: 'JWT',
    lifetime: 300,
    claims: (user) => ({ aud: api, azp: app, sub: `user_${user}`, jti: 'e3b0c442', nbf: 1_700_000_000 }),
    jwksPath: '/.well-known/jwks.json',
    library: `clerk = { session: { getToken: async ({ template }) => template === 'eaas' && token() } }`,
  },
  {
    title: 'Auth0',
    iss: 'https://acme.eu.auth0.com/',
    alg: 'RS256',
    typ: 'JWT',
    lifetime: 3_600,
    claims: (user) => ({
      aud: [api, 'https://acme.eu.auth0.com/userinfo'],
      azp: 'XByZxpuDPlwnXe1mYTe2gu3VP8n59ld1',
      sub: `auth0|${user}`,
      scope: 'openid profile',
    }),
    jwksPath: '/.well-known/jwks.json',
    library: `auth0 = { getTokenSilently: async ({ authorizationParams: { audience } }) => audience === '${api}' && token() }`,
  },
  {
    title: 'Entra',
    iss: 'https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0',
    alg: 'RS256',
    typ: 'JWT',
    // 90 minutes. In the examples of Microsoft, `iat` is five minutes before.
    lifetime: 5_700,
    claims: (user) => ({
      aud: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      azp: '0b1b7a1e-3c1d-4d5a-8a35-1c7f2d0a9b11',
      azpacr: '0',
      oid: uuidOf(user),
      sub: `pairwise-${user}`,
      tid: '72f988bf-86f1-41af-91ab-2d7cd011db47',
      preferred_username: `${user}@example.com`,
      scp: 'access',
      nbf: 1_700_000_000,
      ver: '2.0',
    }),
    jwksPath: '/72f988bf-86f1-41af-91ab-2d7cd011db47/discovery/v2.0/keys',
    library: `msal = {
      getActiveAccount: () => 'account',
      acquireTokenSilent: async ({ scopes, account }) => ({ accessToken: scopes.length === 1 && account && token() }),
    }`,
  },
  {
    title: 'Firebase',
    iss: 'https://securetoken.google.com/acme-app',
    alg: 'RS256',
    typ: 'JWT',
    lifetime: 3_600,
    claims: (user) => ({
      aud: 'acme-app',
      auth_time: 1_700_000_000,
      user_id: `${user}0uid`,
      sub: `${user}0uid`,
      email_verified: false,
      firebase: { identities: {}, sign_in_provider: 'password' },
    }),
    jwksPath: '/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
    library: 'auth = { currentUser: { getIdToken: async () => token() } }',
  },
  {
    title: 'Keycloak',
    iss: 'https://keycloak.example/realms/acme',
    alg: 'RS256',
    typ: 'JWT',
    lifetime: 300,
    claims: (user) => ({
      aud: [api, 'account'],
      azp: 'web',
      typ: 'Bearer',
      sub: uuidOf(user),
      sid: uuidOf('s'),
      acr: '1',
      realm_access: { roles: ['offline_access'] },
      scope: 'openid profile',
    }),
    jwksPath: '/realms/acme/protocol/openid-connect/certs',
    library: `keycloak = { updateToken: async (seconds) => { keycloak.token = seconds > 0 && token() } }`,
  },
  {
    title: 'Better Auth',
    iss: app,
    alg: 'EdDSA',
    typ: 'JWT',
    lifetime: 900,
    claims: (user) => ({ aud: app, sub: `${user}32charactersofid`, id: user, email: `${user}@example.com` }),
    jwksPath: '/api/auth/jwks',
    library: 'authClient = { token: async () => ({ data: { token: token() }, error: null }) }',
  },
  {
    title: 'Any JWT',
    iss: 'https://sign-in.example',
    alg: 'PS256',
    typ: 'at+jwt',
    lifetime: 900,
    claims: (user) => ({ aud: api, sub: user }),
    jwksPath: '/jwks',
    library: 'userManager = { getUser: async () => ({ access_token: token() }) }',
  },
];

const sectionOf = (title: string): string => {
  const [, section] = page.split(new RegExp(`^##? ${title}$`, 'm'));
  if (section === undefined) throw new Error(`the page must have a section "${title}" (got none)`);
  return section.split(/^## /m)[0] ?? '';
};
const commandIn = (section: string): string =>
  commandsOf(section).find((line) => line.startsWith('npx')) ?? '';

test('the page has a guide for each provider, and no other', () => {
  const titles = Array.from(page.matchAll(/^## (.+)$/gm), ([, title]) => title);
  const first = titles.indexOf('Supabase');
  expect(titles.slice(first)).toEqual(guides.map(({ title }) => title));
});

whereAvailable('Chromium', hasChromium, () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld();
  });

  test.each(guides)('$title: a user opens the own value, and no other', async (guide) => {
    const section = sectionOf(guide.title);
    world.provider.use(guide);
    const { issuer_id, subject_claim } = await world.addIssuer(section);
    const subjectOf = (user: string): string =>
      (guide.claims(user) as Record<string, string>)[subject_claim] ?? '';
    const own = await world.written(subjectOf('ann'));
    const bobs = await world.written(subjectOf('bob'));
    const ann = await world.signedIn('ann');
    const code = blocksOf(section, 'js')[0] ?? '';
    const opened = await ann.evaluate<string[]>(`(async () => {
      const ${guide.library.replace(/\btoken\(\)/g, 'accessToken()')};
      ${code}
      const options = { baseUrl, issuer: '${issuer_id}', token, keyId };
      ${/const subject\b/.test(code) ? 'options.subject = subject;' : ''}
      const eaas = createBrowserClient(options);
      const { ciphertext } = await eaas.encrypt('of the page');
      const open = (value, more) => eaas.decrypt(value, { as: 'text', ...more }).catch((error) => error.code);
      return [
        await open('${own}'), await open(ciphertext), await open('${bobs}'),
        await open('${bobs}', { subject: '${subjectOf('bob')}' }),
        ciphertext,
      ];
    })()`);
    const [ownText, ofPage, ...rest] = opened;
    expect([ownText, ofPage]).toEqual([`data of ${subjectOf('ann')}`, 'of the page']);
    expect(rest.slice(0, 2)).toEqual(['decryption', 'permission_missing']);
    expect(await world.backend.decrypt(rest[2] ?? '', { subject: subjectOf('ann'), as: 'text' })).toBe(
      ofPage,
    );
  });

  test('the code in the first screen works, with the first command', async () => {
    world.provider.use(patients(600));
    const { issuer_id } = await world.addIssuer(page);
    const ann = await world.signedIn('ann');
    const said = await ann.evaluate<string[]>(`(async () => {
      const said = [];
      const console = { log: (text) => said.push(text) };
      const userManager = { getUser: async () => ({ access_token: accessToken() }) };
      const issuerId = '${issuer_id}';
      ${(blocksOf(page, 'ts')[0] ?? '').replace(/^import .*$/m, '').replace(`'https://eaas.example'`, 'baseUrl')}
      return said;
    })()`);
    expect(said).toEqual(['penicillin']);
  });

  test('an expired token is refreshed once', async () => {
    world.provider.use(patients(600));
    const { issuer_id } = await world.addIssuer(page);
    const own = await world.written('ann');
    world.provider.age = 700;
    const ann = await world.signedIn('ann');
    world.provider.age = 0;
    const before = world.provider.tokenRequests;
    const seen = await ann.evaluate(`(async () => {
      const statuses = [];
      let asked = 0;
      const eaas = createBrowserClient({
        baseUrl, issuer: '${issuer_id}', keyId,
        token: () => (++asked === 3 ? refreshed() : accessToken()), // for the call, its request, and after the 401
        fetch: async (...request) => {
          const response = await fetch(...request);
          statuses.push(response.status);
          return response;
        },
      });
      const text = await eaas.decrypt('${own}', { as: 'text' });
      await eaas.encrypt('again');
      return { text, statuses };
    })()`);
    expect(seen).toEqual({ text: 'data of ann', statuses: [401, 200, 200] });
    expect(world.provider.tokenRequests - before).toBe(1);
  });

  test('the token of another user drops the data keys of the first', async () => {
    world.provider.use(patients(600));
    const { issuer_id } = await world.addIssuer(page);
    const [anns, bobs] = [await world.written('ann'), await world.written('bob')];
    const bob = await world.signedIn('bob');
    const bobsToken = await bob.evaluate<string>('accessToken()');
    const ann = await world.signedIn('ann');
    const opened = await ann.evaluate(`(async () => {
      let current = accessToken();
      const eaas = createBrowserClient({ baseUrl, issuer: '${issuer_id}', keyId, token: () => current });
      const open = (value) => eaas.decrypt(value, { as: 'text' }).catch((error) => error.code);
      const before = await open('${anns}');
      current = '${bobsToken}';
      return [before, await open('${anns}'), await open('${bobs}'), await open('${anns}')];
    })()`);
    expect(opened).toEqual(['data of ann', 'decryption', 'data of bob', 'decryption']);
  });

  test('a page whose origin is not allowed is refused', async () => {
    world.provider.use(patients(600));
    const { issuer_id } = await world.addIssuer(page);
    const own = await world.written('ann');
    const token = await (await world.signedIn('ann')).evaluate<string>('accessToken()');
    const elsewhere = await world.open(world.otherApp);
    const open = `createBrowserClient({ baseUrl, issuer: '${issuer_id}', keyId, retries: 0, token: () => '${token}' })
      .decrypt('${own}', { as: 'text' }).catch((error) => error.code)`;
    expect(await elsewhere.evaluate(open)).toBe('network');
    expect(await (await world.open(world.app)).evaluate(open)).toBe('data of ann');
    const response = await fetch(`${world.baseUrl}/v1/keys/${world.keyId}/unwrap`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'eaas-issuer': issuer_id,
        origin: world.otherApp,
        'content-type': 'application/json',
      },
      body: '{}',
    });
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'origin_refused' }]);
  });

  test('the table of refusals has what the client throws', async () => {
    const tokens = patients(600);
    world.provider.use(tokens);
    const { issuer_id } = await world.addIssuer(page);
    const [anns, bobs] = [await world.written('ann'), await world.written('bob')];
    const { ciphertext: nobodys } = await world.backend.encrypt('of nobody');
    const { key_id: otherKeyId } = await world.backend.keys.create({ name: 'not in --key-ids' });
    const under = { keyId: otherKeyId, subject: 'ann' };
    const { ciphertext: underOther } = await world.backend.encrypt('x', under);
    const thrown = async (value: string, more = '') => {
      const ann = await world.signedIn('ann');
      return ann.evaluate<string[]>(`(async () => {
        const options = { baseUrl, issuer: '${issuer_id}', keyId, retries: 0, token: accessToken, ${more} };
        return createBrowserClient(options).decrypt('${value}', { as: 'text' })
          .then(() => ['opened'], (error) => [error.code, error.message]);
      })()`);
    };
    const codes: unknown[] = [];
    const cases = [
      [bobs],
      [nobodys],
      [underOther, `keyId: '${otherKeyId}'`],
      [anns, 'baseUrl: "http://127.0.0.1:1"'],
    ];
    for (const [value = '', more] of cases) codes.push((await thrown(value, more))[0]);
    world.provider.use({ ...tokens, claims: claimsFor('https://other.example') });
    const [code, message] = await thrown(anns);
    expect(message).toContain('`iss` https://sign-in.example, `aud` https://other.example, lifetime 600 s');
    world.provider.use({ ...tokens, jwksPath: '/elsewhere' });
    const withoutKeys = await world.addIssuer(page);
    codes.push(code, (await thrown(anns, `issuer: '${withoutKeys.issuer_id}'`))[0]);
    const explained = rowsUnder(page, '`code` of the error').map(([cell = '']) => codesIn(cell)[0]);
    expect(new Set(codes)).toEqual(new Set(explained));
  });

  test('staff open the data of everyone, if the claim that is required is there', async () => {
    const section = sectionOf('Staff');
    const staff = { ...patients(600), claims: claimsFor('https://staff.example') };
    world.provider.use(staff);
    const { issuer_id } = await world.addIssuer(section);
    const anns = await world.written('ann');
    const open = async (user: string) =>
      (await world.signedIn(user)).evaluate(`
        createBrowserClient({ baseUrl, issuer: '${issuer_id}', keyId, token: accessToken })
          .decrypt('${anns}', { subject: 'ann', as: 'text' }).catch((error) => error.code)`);
    expect(await open('nurse')).toBe('data of ann');
    expect(await open('visitor')).toBe('permission_missing');
  });

  test('users read their own log', async () => {
    world.provider.use(patients(600));
    const { issuer_id } = await world.addIssuer(page, { '--permissions': 'encrypt,decrypt,audit.own' });
    await world.written('ann');
    const ann = await world.signedIn('ann');
    const code = blocksOf(sectionOf('Show users their own log'), 'js')[0] ?? '';
    const shown = await ann.evaluate<string[][]>(`(async () => {
      const eaas = createBrowserClient({ baseUrl, issuer: '${issuer_id}', keyId, token: accessToken });
      const shown = [];
      const show = (...facts) => shown.push(facts);
      ${code}
      return shown;
    })()`);
    expect(shown.map(([, action]) => action)).toContain('key.wrap');
  });
});

const claimsFor = (aud: string) => (user: string) => ({
  aud,
  sub: user,
  role: user === 'nurse' ? ['nurse'] : ['guest'],
});

/** The sign-in of the first screen. */
const patients = (lifetime: number): TokensOf => ({
  iss: 'https://sign-in.example',
  alg: 'ES256',
  typ: 'JWT',
  lifetime,
  claims: claimsFor(app),
  jwksPath: '/jwks',
});

/** A server, an app and a provider. The tenant has one issuer at a time, because two could collide. */
async function openWorld() {
  const [browser, eaas, directory, apps] = await Promise.all([
    closing(launchChromium(), (launched) => launched.close()).then((launched): Browser => launched.browser),
    commandLine(),
    newDirectory(),
    Promise.all([openApp(), openApp()]),
  ]);
  const provider = await openProvider([`${apps[0]}/`]);
  const operator = eaas.with({ EAAS_ISSUER_HOSTS: provider.host });
  const server = await closing(serve(operator.env), (it) => it.stop());
  await operator.json('tenant', 'create', '--name', 'acme', '--envelope-only', 'false');
  const [key] = await operator.json<{ key_id: string }>('key', 'create', '--tenant', 'acme', '--name', 'app');
  const keyId = key?.key_id ?? '';
  const all = ['--tenant', 'acme', '--name', 'backend', '--permissions', 'all'];
  const [holder] = await operator.json<{ api_key: string }>('api-key', 'create', ...all);
  const backend = new EaasClient({ baseUrl: server.baseUrl, apiKey: holder?.api_key ?? '', keyId });
  let made: string | undefined;

  const open = async (url: string): Promise<Page> => {
    const opened = await closing(browser.newPage(), (it) => it.close());
    await opened.addInitScript({
      content: `Object.assign(globalThis, ${JSON.stringify({ baseUrl: server.baseUrl, keyId })})`,
    });
    await opened.goto(url);
    return opened;
  };

  return {
    provider,
    app: `${apps[0]}/`,
    otherApp: apps[1],
    baseUrl: server.baseUrl,
    keyId,
    backend,
    open,

    /** Types the command of a section, with the addresses of this test. */
    async addIssuer(section: string, other: Readonly<Record<string, string>> = {}) {
      const command = commandIn(section).replace('"$EAAS_KEY_ID"', keyId);
      const [, , , ...words] = command.split(/\s+/);
      const valueOf = (option: string): string | undefined => words[words.indexOf(option) + 1];
      const uri = words.includes('--jwks-uri') ? new URL(valueOf('--jwks-uri') ?? '') : undefined;
      const hosts = Array.from(section.matchAll(/EAAS_ISSUER_HOSTS=([\w.-]+)/g), ([, host]) => host);
      if (uri) expect(hosts[0] ?? 'sign-in.example').toBe(uri.host);
      const keys = join(directory, 'keys.json');
      await writeFile(keys, JSON.stringify(provider.jwks));
      const changed: Readonly<Record<string, string>> = {
        '--allowed-origins': apps[0],
        '--jwks': keys,
        '--jwks-uri': uri ? provider.url + uri.pathname : '',
        ...other,
      };
      const args = words.map((word, at) => changed[words[at - 1] ?? ''] ?? word);
      if (made) await operator.json('issuer', 'revoke', made, '--tenant', 'acme');
      const [issuer] = await operator.json<{ issuer_id: string; subject_claim: string }>(...args);
      if (!issuer) throw new Error('`eaas issuer add` must print the issuer (got nothing)');
      made = issuer.issuer_id;
      return issuer;
    },

    /** Encrypts a value for a person, as the backend of the app does. */
    async written(subject: string): Promise<string> {
      return (await backend.encrypt(`data of ${subject}`, { subject })).ciphertext;
    },

    /** Signs a user in, by the forms of the provider. */
    async signedIn(user: string): Promise<Page> {
      const opened = await open(`${apps[0]}/`);
      await opened.evaluate(`void signIn('${provider.url}')`);
      await opened.locator('input[name=login]').fill(user);
      await opened.locator('input[name=password]').fill('password');
      await opened.getByRole('button', { name: 'Sign-in' }).click();
      await opened.getByRole('button', { name: 'Continue' }).click();
      await opened.getByText('signed in').waitFor();
      return opened;
    },
  };
}
