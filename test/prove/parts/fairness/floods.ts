import { randomBytes } from 'node:crypto';
import { formatApiKey, limits } from '@eaas/protocol/wire';
import { newDek } from '@eaas/test-kit/faults/load';
import { jwkOfBits } from '@eaas/test-kit/rsa';
import { junk } from '../hostile/junk.ts';

export interface FloodTarget {
  readonly port: number;
  readonly token: string;
  readonly keyId: string;
  readonly wrapped: string;
  readonly versioned: string;
  readonly items: readonly object[];
  /** What the service returned for `largePlaintext`. */
  readonly bundle: object;
}

export interface Flood {
  /** What the flooding tenant or the strangers send. */
  readonly about: string;
  /** Whether the requests need no API key of a tenant. */
  readonly isOfStrangers?: true;
  readonly connections: number;
  /** How many tenants are measured beside it, if not one. */
  readonly quiet?: number;
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
    requests: (target) =>
      always(http(target, 'POST', `/v1/keys/${target.keyId}/unwrap`, { wrapped_key: target.wrapped })),
  },
  tenants: {
    about: 'wraps on 256 connections, beside 63 quiet tenants',
    connections: 256,
    quiet: 63,
    served: 200,
    requests: (target) => always(http(target, 'POST', `/v1/keys/${target.keyId}/wrap`, { dek: newDek() })),
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
  pages: {
    about: 'requests for /docs and /openapi.json on 64 connections',
    isOfStrangers: true,
    connections: 64,
    served: 200,
    requests: strangers(['/docs', '/openapi.json']),
  },
  probes: {
    about:
      'requests for metrics, probes and paths that do not exist, and some without an API key, on 64 connections',
    isOfStrangers: true,
    connections: 64,
    served: 401,
    requests: strangers(['/metrics', '/healthz', '/readyz', '/v1/keys', '/nowhere', '/%']),
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
  decrypts: {
    about: 'decryptions of 64 KiB on 64 connections',
    connections: 64,
    served: 200,
    requests: (target) => always(http(target, 'POST', '/v1/decrypt', target.bundle)),
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

function strangers(paths: readonly string[]): Flood['requests'] {
  return (target) => {
    const requests = paths.map((path) => http({ ...target, token: '' }, 'GET', path));
    let last = 0;
    return () => requests[++last % requests.length] ?? new Uint8Array();
  };
}

function http({ token }: FloodTarget, method: string, path: string, body?: object): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body ? JSON.stringify(body) : '');
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    ...(body ? ['content-type: application/json', `content-length: ${bytes.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}
