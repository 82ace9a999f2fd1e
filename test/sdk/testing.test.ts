import { type Permission, permissions, type Route } from '@eaas/protocol/wire';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { badDocuments, badInBody, badInQuery } from '../matrix/bad-values.ts';
import { calls, fields, type Kind, lineOf, type Material, routes } from '../matrix/calls.ts';
import { openWorld, type World } from '../setup/world.ts';
import { openPairs, type Own, type Pair, type Sent, type Twin } from './testing/pair.ts';

// The real service and the one in memory are sent the same, and must answer the same: statuses, problems, bodies,
// headers and, in the end, the audit log. What may differ is listed in testing/comparable.ts.

let world: World;
let pairs: Awaited<ReturnType<typeof openPairs>>;
let pair: Pair;

beforeAll(async () => {
  world = await openWorld('2026-11-20T10:00:00.000Z');
  pairs = await openPairs(world);
});
afterAll(async () => {
  await pairs.close();
  await world.close();
});
beforeEach(async () => {
  pair = await pairs.pair();
});
afterEach(async () => {
  await pair.compareLogs();
  await pair.get(() => '/v1/audit/verify');
  expect(pair.calls).toBeGreaterThan(4);
  expect(pair.differences).toStrictEqual([]);
});

type Status = 'active' | 'disabled' | 'pending_destruction' | 'destroyed';

/** A key in a state, and what was made with it. */
async function keyIn(status: Status, fields: object = {}): Promise<Twin<Material>> {
  const name = `key ${named++}`;
  const created = await pair.post(
    () => '/v1/keys',
    () => ({ name, exportable: true, ...fields }),
  );
  const id = { real: text(created.real.body['key_id']), memory: text(created.memory.body['key_id']) };
  const bundle = await pair.post(
    () => '/v1/encrypt',
    (own) => ({ key_id: own(id), plaintext: 'x' }),
  );
  if (status !== 'active')
    await pair.post(
      (own) => `/v1/keys/${own(id)}/disable`,
      () => ({}),
    );
  if (status === 'pending_destruction' || status === 'destroyed') {
    const days = status === 'destroyed' ? '?grace_days=0' : '';
    await pair.send((own) => ({ method: 'DELETE', path: `/v1/keys/${own(id)}${days}` }));
  }
  const of = (side: 'real' | 'memory'): Material => ({
    id: id[side],
    wrapped_key: text(bundle[side].body['wrapped_key']),
    ciphertext: text(bundle[side].body['ciphertext']),
  });
  return { real: of('real'), memory: of('memory') };
}

let named = 0;
function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

async function apiKey(
  fields: object = { permissions: ['encrypt'] },
): Promise<Twin<Material & { token: string }>> {
  const made = await pair.post(
    () => '/v1/api-keys',
    () => ({ name: 'made', ...fields }),
  );
  const of = (side: 'real' | 'memory') => ({
    id: text(made[side].body['api_key_id']),
    token: text(made[side].body['api_key']),
    wrapped_key: '',
    ciphertext: '',
  });
  return { real: of('real'), memory: of('memory') };
}

/** What a route's call needs to succeed. */
async function materialFor(route: Route): Promise<Twin<Material>> {
  const { subject } = calls[route];
  if (subject === 'api key') return apiKey();
  return keyIn(subject === 'none' ? 'active' : subject);
}

/** The call with its smallest valid input; what is random in it is made once for both. */
function callOf(route: Route, material: Twin<Material>): (own: Own) => Sent {
  const { query, body } = calls[route];
  return (own) => {
    const { method, path } = lineOf(route, own(material).id);
    const content = body?.(own(material));
    const target = path + (query ? `?${query(own(material))}` : '');
    return { method, path: target, ...(content && { body: content }) };
  };
}
const withBody = routes.filter((route) => lineOf(route, '').takesBody);

describe.for(routes)('%s', (route) => {
  test('every key status, an unknown id, a name and another spelling', async () => {
    for (const status of ['active', 'disabled', 'pending_destruction', 'destroyed'] as const) {
      const material = calls[route].subject === 'api key' ? await apiKey() : await keyIn(status);
      await pair.send(callOf(route, material));
      await pair.send(callOf(route, material));
      for (const id of ['00000000-0000-4000-8000-000000000009', 'a name', 'x%2Fy', '%ff', '{}'])
        await pair.send(
          callOf(
            route,
            renamed(material, () => id),
          ),
        );
      await pair.send(
        callOf(
          route,
          renamed(material, (own) => own.toUpperCase()),
        ),
      );
      await pair.send(
        callOf(
          route,
          renamed(material, (own) => own.replaceAll('-', '')),
        ),
      );
    }
  });

  test('credentials of every kind', async () => {
    const { permission } = calls[route];
    const material = await materialFor(route);
    const call = callOf(route, material);
    const tokens: (Twin<string> | null)[] = [
      null,
      both(''),
      both('nonsense'),
      both(`eaas_sk_${'0'.repeat(43)}4C34ms`),
      await pair.issue(permissions.filter((one) => one !== permission)),
    ];
    for (const token of tokens) await pair.send((own) => ({ ...call(own), token: token && own(token) }));
    for (const authorization of ['bearer x', 'Basic eDp4', 'Bearer', 'Bearer a b']) {
      await pair.send((own) => ({ ...call(own), token: null, headers: { authorization } }));
    }
    for (const origin of ['https://app.example', 'null', 'https://<script>']) {
      await pair.send((own) => ({ ...call(own), headers: { origin } }));
    }
    await pair.send((own) => ({ ...call(own), token: null, headers: { origin: 'https://app.example' } }));
    const only = await pair.issue([permission]);
    await pair.send((own) => ({ ...call(own), token: own(only) }));
  });

  test('an API key that is limited to a key, and one for browsers', async () => {
    const { permission } = calls[route];
    const [own, other] = [await keyIn('active'), await keyIn('active')];
    const limited = await apiKeyFor(permission, own);
    for (const material of [own, other]) {
      await pair.send((mine) => ({ ...callOf(route, material)(mine), token: mine(limited).token }));
    }
    const origin = 'https://app.example';
    const browser = await apiKey({ permissions: [permission], allowed_origins: [origin] });
    for (const headers of [{ origin }, { origin: 'https://evil.example' }, {}] as Record<string, string>[]) {
      await pair.send((mine) => ({ ...callOf(route, own)(mine), token: mine(browser).token, headers }));
    }
  });

  test('methods that it does not have, and preflights', async () => {
    const material = await materialFor(route);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { path } = lineOf(route, material.real.id);
      if (routes.some((other) => other === `${method} ${route.split(' ')[1]}`)) continue;
      await pair.send((own) => ({ method, path: lineOf(route, own(material).id).path }));
      await pair.send(() => ({
        method,
        path,
        token: null,
        headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
      }));
    }
  });

  test('queries that it does not know, and those that it does in every wrong form', async () => {
    const material = await materialFor(route);
    const call = callOf(route, material);
    const kinds = Object.entries(lineOf(route, '').takesBody ? {} : (fields[route] as Record<string, Kind>));
    const wrong = kinds.flatMap(([name, kind]) =>
      badInQuery[kind].map((value) => `${name}=${encodeURIComponent(value)}`),
    );
    const odd = [
      'x=1',
      '=',
      '=1',
      '%ff=1',
      '%=1',
      '&&&x',
      'limit[]=1',
      '__proto__=1',
      'eaas_sk_abc=1',
      '',
      '+=1',
    ];
    for (const query of [...wrong, ...kinds.map(([name]) => `${name}=1&${name}=1`), ...odd]) {
      await pair.send((own) => {
        const sent = call(own);
        return { ...sent, path: `${sent.path.split('?')[0]}?${query}` };
      });
    }
  });
});

function both<T>(value: T): Twin<T> {
  return { real: value, memory: value };
}

function renamed(material: Twin<Material>, rename: (id: string) => string): Twin<Material> {
  const of = (own: Material): Material => ({ ...own, id: rename(own.id) });
  return { real: of(material.real), memory: of(material.memory) };
}

async function apiKeyFor(permission: Permission, key: Twin<Material>): Promise<Twin<{ token: string }>> {
  const made = await pair.post(
    () => '/v1/api-keys',
    (own) => ({ name: 'limited', permissions: [permission], key_ids: [own(key).id] }),
  );
  const of = (side: 'real' | 'memory') => ({ token: text(made[side].body['api_key']) });
  return { real: of('real'), memory: of('memory') };
}

describe.for(withBody)('%s', (route) => {
  test('bodies that are no JSON, of other types, too large, and each field in every wrong form', async () => {
    const material = await materialFor(route);
    const { method } = lineOf(route, '');
    const path = (own: Own) => lineOf(route, own(material).id).path;
    const valid = callOf(route, material);
    const fieldsOf = (own: Own) => (valid(own).body ?? {}) as object;
    for (const [, document] of badDocuments) {
      await pair.send((own) => ({ method, path: path(own), body: document as BodyInit }));
    }
    for (const type of [
      'text/plain',
      'application/json; charset=latin1',
      'application/json;charset=UTF-8',
      '',
    ]) {
      const headers = { 'content-type': type };
      await pair.send((own) => ({
        method,
        path: path(own),
        headers,
        body: new TextEncoder().encode('{"a":'),
      }));
      await pair.send((own) => ({ method, path: path(own), headers, body: '' }));
    }
    const compressed = { 'content-encoding': 'gzip' };
    await pair.send((own) => ({ method, path: path(own), headers: compressed, body: '{}' }));
    await pair.send((own) => ({ method, path: path(own), body: ' '.repeat(9 * 1024 * 1024) }));
    for (const [name, kind] of Object.entries(fields[route] as Record<string, Kind>)) {
      for (const value of badInBody[kind]) {
        await pair.send((own) => ({ method, path: path(own), body: { ...fieldsOf(own), [name]: value } }));
      }
    }
    for (const name of ['contxt', 'constructor', '\u0000', 'eaas_sk_0000', 'n'.repeat(100)]) {
      await pair.send((own) => ({ method, path: path(own), body: { ...fieldsOf(own), [name]: 'x' } }));
    }
    for (const name of Object.keys(fieldsOf((twin) => twin.real))) {
      await pair.send((own) => ({ method, path: path(own), body: { ...fieldsOf(own), [name]: undefined } }));
    }
  });

  test('any value in any field', async () => {
    const material = await materialFor(route);
    const valid = callOf(route, material);
    const known = [...Object.keys(fields[route]), 'extra'];
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.double(), fc.constant(null));
    const inputs = fc.sample(fc.tuple(fc.constantFrom(...known), value), { numRuns: 25, seed: 7 });
    for (const [name, random] of inputs) {
      await pair.send((own) => {
        const sent = valid(own);
        return { ...sent, body: { ...(sent.body as object), [name]: random } };
      });
    }
  });
});

/** One step of a life: what is called, with which of the keys, and how many hours after the step before. */
const steps = fc.array(
  fc.record({
    route: fc.constantFrom(...routes),
    key: fc.nat(),
    apiKey: fc.nat(),
    hours: fc.constantFrom(0, 0, 0, 0, 1, 30, 24 * 40),
    input: fc.constantFrom({}, { context: { a: 'b' } }, { key_version: 1 }, { key_version: 2 }),
  }),
  { minLength: 200, maxLength: 200 },
);

test.for(fc.sample(steps, { numRuns: 5, seed: 2026 }))(
  'a life of many calls, and of months',
  async (life) => {
    pair.showsJobs = true;
    const keys = [await keyIn('active'), await keyIn('active', { rotation_policy: { interval_days: 30 } })];
    keys.push(await keyIn('disabled'), await keyIn('pending_destruction'));
    const apiKeys = [await apiKey(), await apiKey({ permissions: ['decrypt'] })];
    const materials = (route: Route) => (calls[route].subject === 'api key' ? apiKeys : keys);
    for (const { route, key, apiKey: by, hours, input } of life) {
      world.time += hours * 3_600_000;
      const material = materials(route)[key % materials(route).length];
      const holder = apiKeys[by % 10];
      if (!material) continue;
      const call = callOf(route, material);
      const answer = await pair.send((own) => {
        const sent = call(own);
        const body =
          sent.body && !('items' in (sent.body as object))
            ? { ...(sent.body as object), ...input }
            : sent.body;
        return { ...sent, ...(body && { body }), ...(holder && { token: own(holder).token }) };
      });
      remember(route, answer, material, { keys, apiKeys });
    }
    expect(pair.calls).toBeGreaterThan(life.length);
  },
);

/** What a call has made is there for those that follow. */
function remember(
  route: Route,
  { real, memory }: Twin<{ readonly body: Record<string, unknown> }>,
  material: Twin<Material>,
  { keys, apiKeys }: { keys: Twin<Material>[]; apiKeys: Twin<Material & { token: string }>[] },
): void {
  const made = (body: Record<string, unknown>, before: Material) => ({
    id: text(body['key_id']) || before.id,
    wrapped_key: text(body['wrapped_key']) || before.wrapped_key,
    ciphertext: text(body['ciphertext']) || before.ciphertext,
  });
  if (/\/(keys|wrap|rewrap|encrypt)$/.test(route) && real.body['key_id'] !== undefined) {
    keys.push({ real: made(real.body, material.real), memory: made(memory.body, material.memory) });
  }
  const issued = (body: Record<string, unknown>) => ({
    id: text(body['api_key_id']),
    token: text(body['api_key']),
    wrapped_key: '',
    ciphertext: '',
  });
  if (real.body['api_key'] !== undefined)
    apiKeys.push({ real: issued(real.body), memory: issued(memory.body) });
}
