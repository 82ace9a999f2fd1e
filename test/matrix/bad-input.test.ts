import type { Route } from '@eaas/protocol/wire';
import { beforeAll, describe, expect, test } from 'vitest';
import { asJson, type Answer } from '../conformance/client.ts';
import { covers } from '../conformance/covers.ts';
import { newTenant, type Tenant } from '../conformance/fixture.ts';
import { badDocuments, badInBody, badInQuery } from './bad-values.ts';
import { calls, fields, type Kind, lineOf, type Material, materialFor, routes } from './calls.ts';

let tenant: Tenant;

beforeAll(async () => {
  tenant = await newTenant();
});

const withBody = routes.filter((route) => lineOf(route, '').takesBody);
/** Whether a call works without any body: then an empty or missing one is no mistake. */
const needsBody = (route: Route): boolean => calls[route].body !== undefined;

/** Every answer comes within 5 seconds, is a 400, and no two of the calls leave anything behind. */
async function expectAllRefused(sending: (() => Promise<Answer>)[]): Promise<void> {
  const before = await tenant.auditTotal();
  for (const send of sending) {
    const started = performance.now();
    expect(await send()).toBeProblem('bad_request');
    expect(performance.now() - started).toBeLessThan(5_000);
  }
  expect(await tenant.auditTotal()).toBe(before);
}

function sender(route: Route, material: Material) {
  const { method, path } = lineOf(route, material.id);
  return {
    raw: (body: BodyInit) => tenant.api.send(method, path, body, asJson),
    json: (body: object) => tenant.api.send(method, path, JSON.stringify(body), asJson),
    query: (query: string) => tenant.api.send(method, `${path}?${query}`),
  };
}

describe.for(withBody)('%s', (route) => {
  test(
    'refuses what is no JSON object, or no text',
    {
      ...covers(
        'interface: 400 Bad Request: malformed JSON',
        'contract: Text must be valid UTF-8 without lone surrogates, else 400.',
        'contract: Duplicate JSON names and nesting deeper than 8 are 400.',
        'contract: Unknown fields in a body: 400 naming the field (cut to 64 characters).',
        'contract: Nothing ever hangs.',
      ),
      timeout: 60_000,
    },
    async () => {
      const { raw } = sender(route, await materialFor(tenant, route));
      await expectAllRefused(
        badDocuments.map(
          ([, document]) =>
            () =>
              raw(document as BodyInit),
        ),
      );
      expect(badDocuments.length).toBeGreaterThan(20);
    },
  );

  test(
    'refuses each field in every wrong type, beside an otherwise valid body',
    {
      ...covers(
        'contract: Base64 is the standard alphabet with padding, canonical: what decodes must re-encode to the same string, else 400.',
        'contract: What is stored (names, context) has no control characters.',
      ),
      timeout: 60_000,
    },
    async () => {
      const material = await materialFor(tenant, route);
      const { json } = sender(route, material);
      const valid = calls[route].body?.(material) ?? {};
      const kinds = Object.entries(fields[route] as Record<string, Kind>);
      await expectAllRefused(
        kinds.flatMap(([field, kind]) =>
          badInBody[kind].map((value) => () => json({ ...valid, [field]: value })),
        ),
      );
      expect(kinds.map(([, kind]) => badInBody[kind].length)).not.toContain(0);
    },
  );

  test(
    'refuses a field that it does not know, beside a valid body',
    covers('contract: Unknown fields in a body: 400 naming the field (cut to 64 characters).'),
    async () => {
      const material = await materialFor(tenant, route);
      const { json } = sender(route, material);
      const valid = calls[route].body?.(material) ?? {};
      const unknown = [
        'contxt',
        'tenant_id',
        'constructor',
        'toString',
        'hasOwnProperty',
        'Plaintext',
        '\u0000',
      ];
      await expectAllRefused(unknown.map((field) => () => json({ ...valid, [field]: 'x' })));
      expect(await json({ ...valid, contxt: {} })).toBeProblem('bad_request', /contxt/);
    },
  );

  test(
    'refuses any query parameter',
    covers(
      'contract: Unknown, repeated or empty query parameters: 400 naming the field (cut to 64 characters).',
    ),
    async () => {
      const material = await materialFor(tenant, route);
      const { method, path } = lineOf(route, material.id);
      const body = calls[route].body?.(material);
      const query = ['x=1', 'key_id=x', '=', '=x', '%00=1', '%ff=1', 'context[a]=b', '__proto__=1'];
      const send = (one: string) => () =>
        tenant.api.send(method, `${path}?${one}`, JSON.stringify(body ?? {}), asJson);
      await expectAllRefused(query.map(send));
      expect(await send('dry_run=1')()).toBeProblem('bad_request', /dry_run/);
    },
  );
});

test.for(withBody.filter(needsBody).filter((route) => !route.startsWith('PATCH')))(
  '%s: refuses a body with any of its fields missing, and names it',
  covers(
    'interface: 400 Bad Request: missing required field',
    'contract: A missing field is named in `detail`.',
  ),
  async (route) => {
    const material = await materialFor(tenant, route);
    const valid = calls[route].body?.(material) ?? {};
    const { json } = sender(route, material);
    for (const field of Object.keys(valid)) {
      const rest = Object.fromEntries(Object.entries(valid).filter(([name]) => name !== field));
      expect(await json(rest)).toBeProblem('bad_request', new RegExp(field));
    }
  },
);

test.for(withBody.filter(needsBody))(
  '%s: refuses a body of another type',
  covers('contract: Elsewhere 415 for a body that is not `application/json`.'),
  async (route) => {
    const material = await materialFor(tenant, route);
    const { method, path } = lineOf(route, material.id);
    const body = new TextEncoder().encode(JSON.stringify(calls[route].body?.(material)));
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'x', '']) {
      const answer = await tenant.api.send(method, path, body, { 'content-type': type });
      expect(answer).toBeProblem('unsupported_media_type');
    }
  },
);

describe.for(routes.filter((route) => !lineOf(route, '').takesBody))('%s', (route) => {
  test(
    'refuses each query parameter in every wrong form, twice, and unknown ones',
    {
      ...covers(
        'contract: Unknown, repeated or empty query parameters: 400 naming the field (cut to 64 characters).',
        'contract: `limit` 0, negative or not a number: 400; above 100: 100.',
        'contract: An unknown `action` is 400.',
      ),
      timeout: 60_000,
    },
    async () => {
      const { query } = sender(route, await materialFor(tenant, route));
      const kinds = Object.entries(fields[route] as Record<string, Kind>);
      const wrong = kinds.flatMap(([name, kind]) =>
        badInQuery[kind].map((value) => `${name}=${encodeURIComponent(value)}`),
      );
      const twice = kinds.map(([name]) => `${name}=1&${name}=1`);
      const unknown = [
        'x=1',
        'Limit=1',
        'limit[]=1',
        'limit%00=1',
        '%ff=1',
        '=',
        '=1',
        '__proto__=1',
        '%=1',
        '&&&x',
      ];
      await expectAllRefused([...wrong, ...twice, ...unknown].map((one) => () => query(one)));
      expect(await query('operation=encrypt')).toBeProblem('bad_request', /operation/);
    },
  );
});
