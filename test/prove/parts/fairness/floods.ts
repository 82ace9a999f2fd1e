import { randomBytes } from 'node:crypto';
import { formatApiKey, limits } from '@eaas/protocol/wire';
import { jwkOfBits } from '@eaas/test-kit/rsa';

import { textOf } from '@eaas/test-kit/sign-in';
import { junk } from '../hostile/junk.ts';

export interface FloodTarget {
  readonly port: number;
  readonly token: string;
  readonly keyId: string;
  readonly wrapped: string;
  readonly intake: { readonly keyId: string; readonly wrapped: string };
  readonly versioned: string;
  readonly items: readonly object[];
  /** What the service returned for `largePlaintext`. */
  readonly bundle: object;
  /** An issuer, and a token that it accepts. */
  readonly signIn: { readonly issuerId: string; readonly token: string };
  /** Issuers whose keys come from hostile hosts. */
  readonly published: readonly string[];
}

export interface Flood {
  /** What the flooding tenant or the strangers send. */
  readonly about: string;
  /** Whether the requests need no API key of a tenant. */
  readonly isOfStrangers?: true;
  /** Whether the requests name sign-ins of a tenant, which is then measured too. */
  readonly namesTenant?: true;
  readonly connections: number;
  /** The status of the responses, or undefined if the requests never complete. */
  readonly served?: number;
  readonly requests: (target: FloodTarget) => () => Uint8Array;
  readonly slow?: true;
}

export const largePlaintext = 'x'.repeat(64 * 1024);

export const floods = {
  unwraps: {
    about: 'unwraps on 256 connections',
    connections: 256,
    served: 200,
    requests: (target) => always(unwrap(target)),
  },
  intake: {
    about: 'unwraps of data keys that a writer wrapped without credentials, on 64 connections',
    connections: 64,
    served: 200,
    requests: (target) => always(unwrap({ ...target, ...target.intake })),
  },
  batches: {
    about: 'batches of as many wraps with the largest context as fit, on 8 connections',
    connections: 8,
    served: 200,
    requests: (target) => always(http(target, 'POST', '/v1/batch/wrap', { items: target.items })),
  },
  uploads: {
    about: '256 uploads of 2 MiB that never end',
    connections: 256,
    slow: true,
    requests: (target) => always(http(target, 'POST', '/v1/batch/wrap', Buffer.alloc(limits.body, ' '))),
  },
  creates: {
    about: 'creations of keys, 300 at a time',
    connections: 300,
    served: 201,
    requests: (target) => () => http(target, 'POST', '/v1/keys', { name: `flood ${Math.random()}` }),
  },
  verifies: {
    about: 'verifications, 60 at a time',
    connections: 60,
    served: 200,
    requests: (target) => always(http(target, 'GET', '/v1/audit/verify')),
  },
  tokens: {
    about: 'unknown tokens on 400 connections',
    isOfStrangers: true,
    connections: 400,
    served: 401,
    requests: (target) => () => http({ ...target, token: formatApiKey(randomBytes(32)) }, 'GET', '/v1/keys'),
  },
  forged: {
    about: 'tokens that no sign-in has signed, each another one, on 400 connections',
    isOfStrangers: true,
    namesTenant: true,
    connections: 400,
    served: 401,
    requests: (target) => forgeries(target, [target.signIn.issuerId], (header) => header),
  },
  'key-host': {
    about:
      'tokens that name unknown keys of 29 sign-ins, whose key hosts hang, send without end, send no keys, or other keys each time, on 400 connections',
    isOfStrangers: true,
    namesTenant: true,
    connections: 400,
    served: 401,
    requests: (target) =>
      forgeries(target, target.published, (header, nth) => ({ ...header, kid: `unknown ${nth}` })),
  },
  brackets: {
    about: '2 MiB of brackets, on 8 connections',
    connections: 8,
    served: 400,
    requests: (target) => always(http(target, 'POST', '/v1/batch/wrap', junk.brackets(limits.body))),
  },
  audits: {
    about: 'deep pages of a filtered audit log, on 16 connections',
    connections: 16,
    served: 200,
    requests: (target) => always(http(target, 'GET', '/v1/audit?action=key.wrap&limit=100&offset=9000')),
  },
  versions: {
    about: 'pages of a key with 10,000 versions, on 16 connections',
    connections: 16,
    served: 200,
    requests: (target) => always(http(target, 'GET', `/v1/keys/${target.versioned}?limit=1000&offset=8000`)),
  },
  pages: {
    about: 'requests for /docs and /openapi.json on 64 connections',
    isOfStrangers: true,
    connections: 64,
    served: 200,
    requests: strangers(['/docs', '/openapi.json']),
  },
  metrics: {
    about: 'requests for /metrics on 64 connections',
    isOfStrangers: true,
    connections: 64,
    served: 200,
    requests: strangers(['/metrics']),
  },
  probes: {
    about: 'requests for /healthz and /readyz on 64 connections',
    isOfStrangers: true,
    connections: 64,
    served: 200,
    requests: strangers(['/healthz', '/readyz']),
  },
  nothing: {
    about: 'requests without an API key, and for paths that do not exist, on 64 connections',
    isOfStrangers: true,
    connections: 64,
    served: 401,
    requests: strangers(['/v1/keys', '/nowhere', '/%']),
  },
  encrypts: {
    about: 'encryptions of 64 KiB on 64 connections',
    connections: 64,
    served: 200,
    requests: (target) => {
      const body = { key_id: target.keyId, plaintext: largePlaintext };
      return always(http(target, 'POST', '/v1/encrypt', body));
    },
  },
  decrypts: {
    about: 'decryptions of 64 KiB on 64 connections',
    connections: 64,
    served: 200,
    requests: (target) => always(http(target, 'POST', '/v1/decrypt', target.bundle)),
  },
  lists: {
    about: 'lists of 100 API keys of the largest size, on 16 connections',
    connections: 16,
    served: 200,
    requests: (target) => always(http(target, 'GET', '/v1/api-keys?limit=100')),
  },
  issuers: {
    about: 'lists of 100 issuers of the largest size, on 32 connections',
    connections: 32,
    served: 200,
    requests: (target) => always(http(target, 'GET', '/v1/issuers?limit=100')),
  },
  exports: {
    about: 'exports of a key with 10,000 versions under RSA of 8,192 bits, on 8 connections',
    connections: 8,
    served: 200,
    requests: (target) => {
      const body = { public_key: jwkOfBits(8_192) };
      return always(http(target, 'POST', `/v1/keys/${target.versioned}/export`, body));
    },
  },
} as const satisfies Readonly<Record<string, Flood>>;

export type FloodName = keyof typeof floods;

const always = (request: Uint8Array) => () => request;

/** Makes tokens that no sign-in has signed, of each issuer in turn. */
function forgeries(
  target: FloodTarget,
  issuerIds: readonly string[],
  headerOf: (header: object, nth: number) => object,
): () => Uint8Array {
  const [header = {}, claims] = target.signIn.token
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
  const path = `/v1/keys/${target.keyId}/unwrap`;
  let last = 0;
  return () => {
    const nth = ++last;
    const signature = randomBytes(64).toString('base64url');
    const token = `${textOf(headerOf(header, nth))}.${textOf({ ...claims, jti: nth })}.${signature}`;
    const issuerId = issuerIds[nth % issuerIds.length];
    return http({ ...target, token }, 'POST', path, { wrapped_key: target.wrapped }, issuerId);
  };
}

function strangers(paths: readonly string[]): Flood['requests'] {
  return (target) => {
    const requests = paths.map((path) => http({ ...target, token: '' }, 'GET', path));
    let last = 0;
    return () => requests[++last % requests.length] ?? new Uint8Array();
  };
}

const unwrap = (target: FloodTarget): Uint8Array =>
  http(target, 'POST', `/v1/keys/${target.keyId}/unwrap`, { wrapped_key: target.wrapped });

function http(
  { token }: FloodTarget,
  method: string,
  path: string,
  body?: object,
  issuerId?: string,
): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body ? JSON.stringify(body) : '');
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    ...(issuerId === undefined ? [] : [`eaas-issuer: ${issuerId}`]),
    ...(body ? ['content-type: application/json', `content-length: ${bytes.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}
