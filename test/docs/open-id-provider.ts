// A real OpenID provider whose tokens have the claims of another one, and the app whose users it signs in.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { closing } from '@eaas/test-kit/closing';
import { root } from '@eaas/test-kit/markdown';
import { requireTools } from '@eaas/test-kit/tools';

export interface TokensOf {
  readonly iss: string;
  readonly alg: 'RS256' | 'PS256' | 'ES256' | 'EdDSA';
  readonly typ: 'JWT' | 'at+jwt';
  /** In seconds. */
  readonly lifetime: number;
  /** The claims beside `iss`, `iat` and `exp`. */
  readonly claims: (user: string) => object;
  readonly jwksPath: string;
}

interface Jwt {
  header?: object;
  payload: object;
}

interface Provider {
  callback(): RequestListener;
}

async function listen(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return closing(Promise.resolve(host), async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
}

const kinds = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} as const;

/** Serves a provider at a host that stays the same when its settings change. `pages` are the URLs of the app. */
export async function openProvider(pages: readonly string[]) {
  const modules = await requireTools('test/tools/sign-in');
  const module = pathToFileURL(join(modules, 'oidc-provider/lib/index.js')).href;
  const { Provider } = (await import(module)) as {
    Provider: new (issuer: string, configuration: object) => Provider;
  };
  let respond: RequestListener = (_, response) => response.writeHead(404).end();
  const host = await listen((request, response) => {
    if (request.method === 'POST' && request.url === '/token') provider.tokenRequests++;
    respond(request, response);
  });
  const provider = {
    host,
    url: `http://${host}`,
    tokenRequests: 0,
    /** How many seconds ago new tokens seem to have been made. */
    age: 0,
    jwks: {} as object,
    use(tokens: TokensOf): void {
      const { publicKey, privateKey } = kinds[tokens.alg]();
      const names = { kid: randomBytes(8).toString('hex'), alg: tokens.alg, use: 'sig' };
      provider.jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), ...names }] };
      const keys = [{ ...privateKey.export({ format: 'jwk' }), ...names }];
      const customize = (_: unknown, { accountId }: { accountId: string }, jwt: Jwt): void => {
        const iat = Math.floor(Date.now() / 1_000) - provider.age;
        jwt.header = { typ: tokens.typ };
        jwt.payload = { iss: tokens.iss, iat, exp: iat + tokens.lifetime, ...tokens.claims(accountId) };
      };
      respond = new Provider(tokens.iss, configurationOf(tokens, keys, pages, customize)).callback();
    },
  };
  return provider;
}

const artifacts = ['Interaction', 'Session', 'Grant', 'AccessToken', 'RefreshToken', 'IdToken'];

const configurationOf = (
  { alg, lifetime, jwksPath }: TokensOf,
  keys: readonly object[],
  pages: readonly string[],
  jwt: unknown,
): object => ({
  clients: [
    {
      client_id: 'web',
      token_endpoint_auth_method: 'none',
      redirect_uris: pages,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: alg,
    },
  ],
  jwks: { keys },
  routes: { jwks: jwksPath },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  ttl: Object.fromEntries(artifacts.map((name) => [name, 3_600])),
  pkce: { required: () => true },
  clientBasedCORS: () => true,
  issueRefreshToken: () => Promise.resolve(true),
  findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  formats: { customizers: { jwt } },
  features: {
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_: unknown, audience: string) => ({
        scope: '',
        audience,
        accessTokenFormat: 'jwt',
        accessTokenTTL: lifetime,
        jwt: { sign: { alg } },
      }),
    },
  },
});

/** Serves the page of played-sign-in.ts, and returns its origin. */
export async function openApp(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'test/docs/played-sign-in.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['@eaas/source', 'browser'],
    write: false,
    logLevel: 'silent',
  });
  const script = outputFiles[0]?.text ?? '';
  const host = await listen((request, response) => {
    const isScript = request.url === '/page.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? script : '<!doctype html><body><script type="module" src="/page.js"></script>');
  });
  return `http://${host}`;
}
