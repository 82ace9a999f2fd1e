// Types the commands of sign-in.md, and runs the code of each guide with tokens that have the claims of its provider's.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { createBrowserClient } from '@eaas/sdk/browser';
import { closing } from '@eaas/test-kit/closing';
import { commandLine } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { blocksOf, codesIn, commandsOf, read, rowsUnder } from '@eaas/test-kit/markdown';
import { moduleOf, serve } from '@eaas/test-kit/program';
import { type Algorithm, newSignIn } from '@eaas/test-kit/sign-in';
import { expect, test } from 'vitest';

const page = read('packages/sdk/docs/sign-in.md');
const app = 'https://app.example';
const api = 'https://eaas.example';

interface Guide {
  readonly title: string;
  readonly alg: Algorithm;
  readonly typ?: string;
  readonly iss: string;
  /** What the token of a user has besides `iss`, `iat` and `exp`. */
  readonly claims: (user: string) => object;
  /** In seconds. */
  readonly lifetime?: number;
  /** What the library of the provider has in a page. `token()` returns the token of the signed-in user. */
  readonly library: string;
  readonly subjectOf?: (user: string) => string;
}

const uuidOf = (user: string): string =>
  `${Buffer.from(user.padEnd(4)).toString('hex')}-aaaa-4bbb-8ccc-0123456789ab`;

const guides: readonly Guide[] = [
  {
    title: 'Supabase',
    alg: 'ES256',
    iss: 'https://abcdefghijklmnopqrst.supabase.co/auth/v1',
    claims: (user) => ({ aud: 'authenticated', sub: uuidOf(user), role: 'authenticated' }),
    library:
      'supabase = { auth: { getSession: async () => ({ data: { session: { access_token: token() } } }) } }',
    subjectOf: uuidOf,
  },
  {
    title: 'Clerk',
    alg: 'RS256',
    iss: 'https://clerk.app.example',
    lifetime: 300,
    claims: (sub) => ({ aud: api, azp: app, sub, nbf: 1_700_000_000 }),
    library: `clerk = { session: { getToken: async ({ template }) => template === 'eaas' && token() } }`,
  },
  {
    title: 'Auth0',
    alg: 'RS256',
    iss: 'https://acme.eu.auth0.com/',
    claims: (sub) => ({
      aud: [api, 'https://acme.eu.auth0.com/userinfo'],
      azp: 'XByZxpuDPlwnXe1mYTe2gu3VP8n59ld1',
      sub,
    }),
    library: `auth0 = {
      getTokenSilently: async ({ authorizationParams: { audience } }) => audience === '${api}' && token(),
    }`,
  },
  {
    title: 'Entra',
    alg: 'RS256',
    iss: 'https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0',
    // 90 minutes. In the examples of Microsoft, `iat` is five minutes before.
    lifetime: 5_700,
    claims: (user) => ({
      aud: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      oid: uuidOf(user),
      sub: `pairwise-${user}`,
    }),
    library: `msal = {
      getActiveAccount: () => 'account',
      acquireTokenSilent: async ({ scopes, account }) => ({ accessToken: scopes.length === 1 && account && token() }),
    }`,
    subjectOf: uuidOf,
  },
  {
    title: 'Firebase',
    alg: 'RS256',
    iss: 'https://securetoken.google.com/acme-app',
    claims: (sub) => ({ aud: 'acme-app', user_id: sub, sub, firebase: { identities: {} } }),
    library: 'auth = { currentUser: { getIdToken: async () => token() } }',
  },
  {
    title: 'Keycloak',
    alg: 'RS256',
    iss: 'https://keycloak.example/realms/acme',
    lifetime: 300,
    claims: (sub) => ({ aud: [api, 'account'], azp: 'web', typ: 'Bearer', sub }),
    library: 'keycloak = { updateToken: async (seconds) => { keycloak.token = seconds > 0 && token() } }',
  },
  {
    title: 'Better Auth',
    alg: 'EdDSA',
    iss: app,
    lifetime: 900,
    claims: (sub) => ({ aud: app, sub, id: sub, email: `${sub}@example.com` }),
    library: 'authClient = { token: async () => ({ data: { token: token() }, error: null }) }',
  },
  {
    title: 'Any JWT',
    alg: 'PS256',
    iss: 'https://sign-in.example',
    typ: 'at+jwt',
    lifetime: 900,
    claims: (sub) => ({ aud: api, sub }),
    library: 'userManager = { getUser: async () => ({ access_token: token() }) }',
  },
];

const sectionOf = (title: string, of = page): string =>
  of.split(new RegExp(`^##+ ${title}$`, 'm'))[1]?.split(/^##+ /m)[0] ?? '';
const providers = new Map(rowsUnder(page, 'sign-in').map(([name = '', ...cells]) => [name, cells]));

/** The options that the table of providers has for one, which take the place of those of the command. */
function optionsOf(title: string): string[] {
  const [issuer = '', audience = '', , more = ''] = (providers.get(title) ?? []).map((cell) =>
    cell.replaceAll('`', ''),
  );
  return ['--issuer', issuer, '--audience', audience, ...more.split(' ').filter(Boolean)];
}

const [eaas, directory] = await Promise.all([commandLine(), newDirectory()]);
const { baseUrl } = await closing(serve(eaas.env), (it) => it.stop());
await eaas.json('tenant', 'create', '--name', 'acme', '--envelope-only', 'false');
const [key] = await eaas.json<{ key_id: string }>('key', 'create', '--tenant', 'acme', '--name', 'app');
const keyId = key?.key_id ?? '';
const all = ['--tenant', 'acme', '--name', 'backend', '--permissions', 'all'];
const [holder] = await eaas.json<{ api_key: string }>('api-key', 'create', ...all);
const backend = new EaasClient({ baseUrl, apiKey: holder?.api_key, keyId });
const written = async (subject: string): Promise<string> =>
  await backend.encrypt(`data of ${subject}`, { subject });
let made: string | undefined;

/** Types the command of a section with the keys of this sign-in in a file, and these options. The tenant has one issuer at a time. */
async function addIssuer(
  section: string,
  { jwk }: ReturnType<typeof newSignIn>,
  own: readonly string[] = [],
): Promise<string> {
  const command = commandsOf(section).find((line) => line.includes('issuer add')) ?? '';
  const words = command.slice(command.indexOf('issuer')).replace('"$EAAS_KEY_ID"', keyId).split(/\s+/);
  const file = join(directory, 'keys.json');
  await writeFile(file, JSON.stringify({ keys: [jwk] }));
  const isReplaced = (word = ''): boolean =>
    word.startsWith('--jwks') || (word.startsWith('--') && own.includes(word));
  const others = words.filter((word, nth) => !isReplaced(word) && !isReplaced(words[nth - 1]));
  if (made) await eaas.json('issuer', 'revoke', made, '--tenant', 'acme');
  const [issuer] = await eaas.json<{ issuer_id: string }>(...others, ...own, '--jwks', file);
  made = issuer?.issuer_id ?? '';
  return made;
}

/** The `fetch` of a page of this origin. */
const from =
  (origin: string): typeof fetch =>
  (input, init) => {
    const request = new Request(input, init);
    request.headers.set('origin', origin);
    return fetch(request);
  };

const codeOf = (error: { readonly code: string }): string => error.code;

test('the page has a guide for each provider, and no other', () => {
  const titles = guides.map(({ title }) => title);
  expect([...providers.keys()]).toEqual(titles);
  expect(Array.from(page.matchAll(/^### (.+)$/gm), ([, title]) => title)).toEqual(titles);
});

test.each(guides)('$title: a user opens the own value, and no other', async (guide) => {
  const {
    title,
    alg,
    typ = 'JWT',
    iss,
    claims,
    lifetime = 3_600,
    library,
    subjectOf = (user: string) => user,
  } = guide;
  const signIn = newSignIn(alg);
  const issuer = await addIssuer(page, signIn, optionsOf(title));
  const exp = Math.floor(Date.now() / 1_000) + lifetime;
  const ofAnn = signIn.token('ann', { iss, exp, ...claims('ann') }, { typ });
  const [code = ''] = blocksOf(sectionOf(title), 'js');
  const result = /const subject\b/.test(code) ? '{ token: ofPage, subject }' : '{ token: ofPage }';
  const source = `export default (token) => {
    const ${library};
    return (() => { ${code.replace('const token =', 'const ofPage =')}; return ${result}; })();
  }`;
  const { default: open } = (await import(moduleOf(source))) as { default: (token: () => string) => object };
  const ann = createBrowserClient({
    baseUrl,
    issuer,
    keyId,
    fetch: from(app),
    ...open(() => ofAnn),
  });

  const [own, bobs] = [await written(subjectOf('ann')), await written(subjectOf('bob'))];
  expect(await ann.decrypt(own, { as: 'text' })).toBe(`data of ${subjectOf('ann')}`);
  expect(await ann.decrypt(bobs).catch(codeOf)).toBe('decryption');
  expect(await ann.decrypt(bobs, { subject: subjectOf('bob') }).catch(codeOf)).toBe('permission_missing');
  const ciphertext = await ann.encrypt('of the page');
  expect(await backend.decrypt(ciphertext, { subject: subjectOf('ann'), as: 'text' })).toBe('of the page');
});

test('the table of refusals has what the client throws', async () => {
  const signIn = newSignIn();
  const issuer = await addIssuer(page, signIn);
  const anns = await written('ann');
  const { key_id: otherKeyId } = await backend.keys.create({ name: 'not in --key-ids' });
  const nobodys = await backend.encrypt('of nobody');
  const underOther = await backend.encrypt('x', { keyId: otherKeyId, subject: 'ann' });
  const thrown = (value: string, more: object = {}) => {
    const token = () => signIn.token('ann');
    const options = { baseUrl, issuer, keyId, retries: 0, token, fetch: from(app), ...more };
    return createBrowserClient(options)
      .decrypt(value)
      .then(String, (error: { code: string }) => error.code);
  };
  const elsewhere = signIn.token('ann', { aud: 'https://other.example' });
  const codes = [
    await thrown(await written('bob')),
    await thrown(nobodys),
    await thrown(underOther, { keyId: otherKeyId }),
    await thrown(anns, { baseUrl: 'http://127.0.0.1:1' }),
    await thrown(anns, { token: () => elsewhere }),
  ];
  await written('cy');
  await backend.subjects.erase({ subject: 'cy' });
  const token = () => signIn.token('cy');
  const erased = createBrowserClient({ baseUrl, issuer, keyId, token, fetch: from(app) });
  codes.push(await erased.encrypt('after the erasure').then(String, codeOf));
  const explained = rowsUnder(page, '`code` of the error').map(([cell = '']) => codesIn(cell)[0]);
  // sign-ins.service.test.ts has a sign-in whose keys cannot be fetched.
  expect(new Set([...codes, 'unavailable'])).toEqual(new Set(explained));
});

test('staff open the data of everyone, if the claim that is required is there', async () => {
  const signIn = newSignIn();
  const issuer = await addIssuer(sectionOf('Staff'), signIn);
  const anns = await written('ann');
  const open = (user: string, role: string): Promise<string> => {
    const token = () => signIn.token(user, { aud: 'https://staff.example', role });
    const staff = 'https://staff.example';
    const client = createBrowserClient({ baseUrl, issuer, keyId, token, fetch: from(staff) });
    return client.decrypt(anns, { subject: 'ann', as: 'text' }).catch(codeOf);
  };
  expect(await open('nurse', 'nurse')).toBe('data of ann');
  expect(await open('visitor', 'guest')).toBe('permission_missing');
});

test.each([
  ['Kubernetes', 'RS256', sectionOf('Workloads')],
  ['SPIRE', 'ES256', sectionOf('Workloads with SPIFFE', read('docs/operating/tenants.md'))],
] as const)('%s: a workload opens values with its token, and another does not', async (_, alg, section) => {
  const platform = newSignIn(alg);
  const issuer = await addIssuer(section, platform);
  const [, iss = '', own = ''] = /--issuer (\S+)[^]*--require sub=(\S+)/.exec(section) ?? [];
  const as = (account: string): EaasClient => {
    const token = () => platform.token(account, { iss, aud: ['https://eaas.example'] });
    return new EaasClient({ baseUrl, issuer, token, subject: null, keyId });
  };
  const ciphertext = await as(own).encrypt('an order');
  expect(await as(own).decrypt(ciphertext, { as: 'text' })).toBe('an order');
  await expect(as(`${own}-web`).decrypt(ciphertext)).rejects.toMatchObject({ code: 'permission_missing' });
});
