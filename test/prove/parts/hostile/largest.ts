import { limits, type Route } from '@eaas/protocol/wire';
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { jwkOfBits } from '@eaas/test-kit/rsa';

import { call, send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { fitting, issuerOf, largestApiKey, largestContexts, largestIssuer, largestItems } from './world.ts';
import type { World } from './world.ts';

interface LegalCall {
  readonly what: string;
  readonly path: string;
  readonly body?: object;
}

const text = '"'.repeat(65_536);

export const largest: Readonly<Record<Route, (world: World) => Promise<readonly LegalCall[]>>> = {
  'POST /v1/encrypt': async ({ plain }) => shapes('/v1/encrypt', { key_id: plain, plaintext: text }),
  'POST /v1/decrypt': async ({ server, tenant, plain }) => {
    const context = largestContexts.names;
    const input = { key_id: plain, plaintext: text, context };
    const bundle = await call(server, tenant.token, 'POST', '/v1/encrypt', input);
    return [{ what: 'text', path: '/v1/decrypt', body: { ...bundle, context } }];
  },
  'POST /v1/hash': async ({ plain }) => [
    { what: 'text', path: '/v1/hash', body: { key_id: plain, value: text } },
  ],

  'POST /v1/keys': async () => [{ what: 'name', path: '/v1/keys', body: newName() }],
  'GET /v1/keys': async () => [
    { what: 'page', path: '/v1/keys?limit=100' },
    { what: 'deep page', path: '/v1/keys?limit=100&offset=150&status=active' },
  ],
  'GET /v1/keys/:key_id': async ({ versioned }) => [
    { what: 'versions', path: `/v1/keys/${versioned}?limit=1000` },
    { what: 'deep versions', path: `/v1/keys/${versioned}?limit=1000&offset=8000` },
  ],
  'GET /v1/keys/:key_id/public-key': async ({ versioned }) => [
    { what: 'versions', path: `/v1/keys/${versioned}/public-key` },
  ],
  'DELETE /v1/keys/:key_id': async (world) => {
    await change(world, 'disable');
    return [{ what: 'versions', path: `/v1/keys/${world.versioned}?grace_days=365` }];
  },
  'POST /v1/keys/:key_id/restore': async ({ versioned }) => [
    { what: 'versions', path: `/v1/keys/${versioned}/restore` },
  ],
  'POST /v1/keys/:key_id/enable': async ({ versioned }) => [
    { what: 'versions', path: `/v1/keys/${versioned}/enable` },
  ],
  'POST /v1/keys/:key_id/rotate': async ({ versioned }) => [
    { what: 'versions', path: `/v1/keys/${versioned}/rotate` },
  ],
  'POST /v1/keys/:key_id/disable': async ({ versioned }) => [
    { what: 'versions', path: `/v1/keys/${versioned}/disable` },
  ],
  'PUT /v1/keys/:key_id/rotation-policy': async ({ versioned }) => [
    { what: 'versions', path: `/v1/keys/${versioned}/rotation-policy`, body: { interval_days: 3_650 } },
  ],
  'PUT /v1/keys/:key_id/min-version': async ({ versioned }) => [
    { what: 'versions', path: `/v1/keys/${versioned}/min-version`, body: { key_version: 2 } },
  ],
  'POST /v1/keys/:key_id/export': async (world) => {
    await wrapForSubjects(world);
    const path = `/v1/keys/${world.versioned}/export`;
    const body = { public_key: jwkOfBits(8_192) };
    return [
      { what: 'RSA of 8192 bits', path, body },
      { what: 'subjects', path, body: { ...body, subjects: true } },
    ];
  },
  'POST /v1/keys/:key_id/wrap': async ({ plain }) => shapes(`/v1/keys/${plain}/wrap`, { dek: newDek() }),
  'POST /v1/keys/:key_id/unwrap': async ({ versioned, firstWrapped }) => [
    { what: 'old version', path: `/v1/keys/${versioned}/unwrap`, body: { wrapped_key: firstWrapped } },
  ],
  'POST /v1/keys/:key_id/rewrap': async (world) => {
    await change(world, 'enable');
    const body = { wrapped_key: world.firstWrapped };
    return [{ what: 'old version', path: `/v1/keys/${world.versioned}/rewrap`, body }];
  },

  'POST /v1/batch/wrap': async ({ plain }) =>
    (['quotes', 'names'] as const).map((shape) => ({
      what: `contexts of ${shape}`,
      path: '/v1/batch/wrap',
      body: { items: largestItems(plain, shape) },
    })),
  'POST /v1/batch/unwrap': async (world) => [
    ...(await ofWrapped(world, '/v1/batch/unwrap')),
    ...(await ofIntake(world, '/v1/batch/unwrap')),
  ],
  'POST /v1/batch/rewrap': async (world) => [
    ...(await ofWrapped(world, '/v1/batch/rewrap')),
    ...(await ofIntake(world, '/v1/batch/rewrap')),
  ],
  'POST /v1/batch/hash': async ({ plain }) => [
    { what: 'many', path: '/v1/batch/hash', body: { items: hashes(plain, 1_000, 2_000) } },
    { what: 'long', path: '/v1/batch/hash', body: { items: hashes(plain, 31, 65_536) } },
  ],

  'POST /v1/subjects/show': async (world) => [
    { what: 'longest', path: '/v1/subjects/show', body: { subject: await longestSubject(world) } },
  ],
  'POST /v1/subjects/erase': async (world) => [
    { what: 'longest', path: '/v1/subjects/erase', body: { subject: await longestSubject(world) } },
  ],

  'GET /v1/audit': async () => [
    { what: 'largest entries', path: '/v1/audit?limit=100&action=key.wrap' },
    { what: 'API keys', path: '/v1/audit?limit=100&action=api_key.create' },
    { what: 'deep', path: '/v1/audit?limit=100&offset=5000&action=key.wrap' },
  ],
  'GET /v1/audit/verify': async ({ server, tenant }) => {
    const { checkpoint } = await call(server, tenant.token, 'GET', '/v1/audit/checkpoint');
    const query = `checkpoint=${encodeURIComponent(String(checkpoint))}`;
    return [
      { what: 'whole log', path: '/v1/audit/verify' },
      { what: 'with a checkpoint', path: `/v1/audit/verify?${query}` },
    ];
  },
  'GET /v1/audit/checkpoint': async () => [{ what: 'head', path: '/v1/audit/checkpoint' }],
  'GET /v1/audit/proof': async () => [{ what: 'newest', path: '/v1/audit/proof' }],

  'POST /v1/api-keys': async ({ keyIds }) => [
    { what: 'lists', path: '/v1/api-keys', body: largestApiKey(keyIds) },
  ],
  'GET /v1/api-keys': async () => [{ what: 'page', path: '/v1/api-keys?limit=100' }],
  'GET /v1/api-keys/:api_key_id': async (world) => [
    { what: 'lists', path: `/v1/api-keys/${await restricted(world)}` },
  ],
  'PATCH /v1/api-keys/:api_key_id': async (world) => [
    {
      what: 'lists',
      path: `/v1/api-keys/${await restricted(world)}`,
      body: largestApiKey(world.keyIds.toReversed()),
    },
  ],
  'DELETE /v1/api-keys/:api_key_id': async (world) => [
    { what: 'lists', path: `/v1/api-keys/${await restricted(world)}` },
  ],

  'POST /v1/issuers': async ({ keyIds }) => [
    { what: 'lists', path: '/v1/issuers', body: largestIssuer(keyIds) },
  ],
  'GET /v1/issuers': async () => [{ what: 'page', path: '/v1/issuers?limit=100' }],
  'GET /v1/issuers/:issuer_id': async (world) => [
    { what: 'lists', path: `/v1/issuers/${await issuerOf(world)}` },
  ],
  'PATCH /v1/issuers/:issuer_id': async (world) => {
    const { require, jwks } = largestIssuer(world.keyIds);
    return [{ what: 'lists', path: `/v1/issuers/${await issuerOf(world)}`, body: { require, jwks } }];
  },
  'DELETE /v1/issuers/:issuer_id': async (world) => [
    { what: 'lists', path: `/v1/issuers/${await issuerOf(world)}` },
  ],
  'GET /v1/usage': async () => [{ what: 'month', path: '/v1/usage' }],
};

function shapes(path: string, body: object): LegalCall[] {
  return Object.entries(largestContexts).map(([shape, context]) => ({
    what: `context of ${shape}`,
    path,
    body: { ...body, context },
  }));
}

function newName(): object {
  const name = Array.from(crypto.getRandomValues(new Uint8Array(128)), (byte) =>
    String.fromCodePoint(0x1_f600 + (byte % 64)),
  );
  return { name: name.join(''), exportable: true, rotation_policy: { interval_days: 3_650 } };
}

async function longestSubject({ server, tenant, plain }: World): Promise<string> {
  const subject = `${crypto.randomUUID()}${'\u00e4'.repeat(110)}`;
  await call(server, tenant.token, 'POST', `/v1/keys/${plain}/wrap`, { dek: newDek(), subject });
  return subject;
}

/** Wraps for as many subjects as one export has. */
async function wrapForSubjects({ server, tenant, plain }: World): Promise<void> {
  const items = Array.from({ length: limits.exportedSubjects }, () => ({
    key_id: plain,
    dek: newDek(),
    subject: crypto.randomUUID(),
  }));
  await call(server, tenant.token, 'POST', '/v1/batch/wrap', { items });
}

async function change({ server, tenant, versioned }: World, to: 'enable' | 'disable'): Promise<void> {
  await send(server, tenant.token, 'POST', `/v1/keys/${versioned}/${to}`);
}

async function ofWrapped({ server, tenant, plain }: World, path: string): Promise<readonly LegalCall[]> {
  const calls: LegalCall[] = [];
  for (const shape of ['quotes', 'names'] as const) {
    const items = largestItems(plain, shape);
    const wrapped: object[] = [];
    for (let from = 0; from < items.length; from += 100) {
      const body = { items: items.slice(from, from + 100) };
      const answer = await call<Wraps>(server, tenant.token, 'POST', '/v1/batch/wrap', body);
      const context = largestContexts[shape];
      wrapped.push(...answer.results.map(({ wrapped_key }) => ({ key_id: plain, wrapped_key, context })));
    }
    const [first = {}] = wrapped;
    calls.push({
      what: `contexts of ${shape}`,
      path,
      body: { items: wrapped.slice(0, fitting(first).length) },
    });
  }
  return calls;
}

interface Wraps {
  readonly results: readonly { readonly wrapped_key: string }[];
}

function hashes(keyId: string, count: number, length: number): object[] {
  return Array.from({ length: count }, () => ({ key_id: keyId, value: 'x'.repeat(length) }));
}

async function restricted({ server, tenant, keyIds }: World): Promise<string> {
  const body = largestApiKey(keyIds);
  return String((await call(server, tenant.token, 'POST', '/v1/api-keys', body))['api_key_id']);
}

/** The service detects altered encapsulations only at the end of the unwrap. */
async function ofIntake({ intakePublicKey }: World, path: string): Promise<readonly LegalCall[]> {
  const publicKey = parsePublicKey(intakePublicKey);
  const items: object[] = [];
  for (let nth = 0; nth < 1_000; nth++) {
    const { keyId, wrappedKey } = await wrapForIntake(publicKey, Buffer.alloc(32, nth));
    if (nth % 2 === 1) wrappedKey.fill(0xff, 6, 1_094);
    items.push({ key_id: keyId, wrapped_key: Buffer.from(wrappedKey).toString('base64') });
  }
  return [{ what: 'intake', path, body: { items } }];
}
