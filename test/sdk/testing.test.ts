import { permissions } from '@eaas/protocol/wire';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { badDocuments, badInBody, badInQuery } from '../matrix/bad-values.ts';
import { calls, fields, type Kind, lineOf, routes } from '../matrix/calls.ts';
import { openWorld, type World } from '../setup/world.ts';
import { apiKey, apiKeyFor, both, callOf, keyIn, materialFor, renamed } from './testing/material.ts';
import { openPairs, type Own, type Pair, type Pairs, type Twin } from './testing/pair.ts';

// The real service and the one in memory are sent the same, and must answer the same: statuses, problems, bodies,
// headers and, in the end, the audit log. What may differ is listed in testing/comparable.ts.

let world: World;
let pairs: Pairs;
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

const withBody = routes.filter((route) => lineOf(route, '').takesBody);

describe.for(routes)('%s', (route) => {
  test('every key status, an unknown id, a name and another spelling', async () => {
    for (const status of ['active', 'disabled', 'pending_destruction', 'destroyed'] as const) {
      const material = calls[route].subject === 'api key' ? await apiKey(pair) : await keyIn(pair, status);
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
    expect(await pair.allDifferences()).toStrictEqual([]);
  });

  test('credentials of every kind', async () => {
    const { permission } = calls[route];
    const material = await materialFor(pair, route);
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
    expect(await pair.allDifferences()).toStrictEqual([]);
  });

  test('an API key that is limited to a key, and one for browsers', async () => {
    const { permission } = calls[route];
    const [own, other] = [await keyIn(pair, 'active'), await keyIn(pair, 'active')];
    const limited = await apiKeyFor(pair, permission, own);
    for (const material of [own, other]) {
      await pair.send((mine) => ({ ...callOf(route, material)(mine), token: mine(limited).token }));
    }
    const origin = 'https://app.example';
    const browser = await apiKey(pair, { permissions: [permission], allowed_origins: [origin] });
    for (const headers of [{ origin }, { origin: 'https://evil.example' }, {}] as Record<string, string>[]) {
      await pair.send((mine) => ({ ...callOf(route, own)(mine), token: mine(browser).token, headers }));
    }
    expect(await pair.allDifferences()).toStrictEqual([]);
  });

  test('methods that it does not have, and preflights', async () => {
    const material = await materialFor(pair, route);
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
    expect(await pair.allDifferences()).toStrictEqual([]);
  });

  test('queries that it does not know, and those that it does in every wrong form', async () => {
    const material = await materialFor(pair, route);
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
    expect(await pair.allDifferences()).toStrictEqual([]);
  });
});

describe.for(withBody)('%s', (route) => {
  test('bodies that are no JSON, of other types, too large, and each field in every wrong form', async () => {
    const material = await materialFor(pair, route);
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
    expect(await pair.allDifferences()).toStrictEqual([]);
  });

  test('any value in any field', async () => {
    const material = await materialFor(pair, route);
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
    expect(await pair.allDifferences()).toStrictEqual([]);
  });
});
