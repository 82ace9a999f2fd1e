import type { Route } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { type Answer, asJson } from '@eaas/test-kit/api';
import { newTenant } from '@eaas/test-kit/fixture';
import { badDocuments, badInBody, badInQuery, otherTypes } from './bad-values.ts';
import { calls, fields, type Kind, lineOf, type Material, materialFor, routes } from '@eaas/test-kit/calls';

const tenant = await newTenant();

const withBody = routes.filter((route) => lineOf(route, '').takesBody);
const needsBody = (route: Route): boolean => calls[route].body !== undefined;

async function expectAllRefused(sending: (() => Promise<Answer>)[], detail?: RegExp): Promise<void> {
  const before = await tenant.auditTotal();
  for (const send of sending) {
    expect(await send()).toBeProblem('bad_request', detail);
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
  test('an invalid JSON document is refused with 400', async () => {
    const { raw } = sender(route, await materialFor(tenant, route));
    await expectAllRefused(badDocuments.map((document) => () => raw(document as BodyInit)));
    expect(badDocuments.length).toBeGreaterThan(10);
  });

  test('a body with one field of a wrong type is refused', async () => {
    const material = await materialFor(tenant, route);
    const { json } = sender(route, material);
    const valid = calls[route].body?.(material) ?? {};
    const kinds = Object.entries(fields[route] as Record<string, Kind>);
    for (const [field, kind] of kinds) {
      const wrong = badInBody[kind].map((value) => () => json({ ...valid, [field]: value }));
      await expectAllRefused(wrong, new RegExp(field));
    }
    expect(kinds.map(([, kind]) => badInBody[kind].length)).not.toContain(0);
  });

  test('a body with one unknown field is refused', async () => {
    const material = await materialFor(tenant, route);
    const { json } = sender(route, material);
    const valid = calls[route].body?.(material) ?? {};
    const unknown = ['tenant_id', 'constructor', 'toString', 'Plaintext', '\u0000'];
    await expectAllRefused(unknown.map((field) => () => json({ ...valid, [field]: 'x' })));
    expect(await json({ ...valid, contxt: {} })).toBeProblem('bad_request', /contxt/);
  });

  test('an endpoint without query parameters refuses any query parameter', async () => {
    const material = await materialFor(tenant, route);
    const { method, path } = lineOf(route, material.id);
    const body = calls[route].body?.(material);
    const query = ['x=1', 'key_id=x', '=', '=x', '%00=1', '%ff=1', 'context[a]=b', '__proto__=1'];
    const send = (one: string) => () =>
      tenant.api.send(method, `${path}?${one}`, JSON.stringify(body ?? {}), asJson);
    await expectAllRefused(query.map(send));
    expect(await send('dry_run=1')()).toBeProblem('bad_request', /dry_run/);
  });
});

test.for(withBody.filter(needsBody).filter((route) => !route.startsWith('PATCH')))(
  '%s names the missing field of a body',
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

test.for(withBody.filter(needsBody))('%s refuses a body of another content type with 415', async (route) => {
  const material = await materialFor(tenant, route);
  const { method, path } = lineOf(route, material.id);
  const body = new TextEncoder().encode(JSON.stringify(calls[route].body?.(material)));
  expect(await tenant.api.send(method, path, body)).toBeProblem('unsupported_media_type');
  for (const type of otherTypes) {
    const answer = await tenant.api.send(method, path, body, { 'content-type': type });
    expect(answer).toBeProblem('unsupported_media_type');
  }
});

describe.for(routes.filter((route) => !lineOf(route, '').takesBody))('%s', (route) => {
  test('invalid, repeated and unknown query parameters are refused', async () => {
    const { query } = sender(route, await materialFor(tenant, route));
    const kinds = Object.entries(fields[route] as Record<string, Kind>);
    for (const [name, kind] of kinds) {
      const values = ['', ...(badInQuery[kind] ?? [])].map(encodeURIComponent);
      const wrong = [...values.map((value) => `${name}=${value}`), `${name}=1&${name}=1`];
      await expectAllRefused(
        wrong.map((one) => () => query(one)),
        new RegExp(name),
      );
    }
    const unknown = [
      'x=1',
      'Limit=1',
      'limit[]=1',
      'limit%00=1',
      '%ff=1',
      '=1',
      '__proto__=1',
      '%=1',
      '&&&x',
    ];
    await expectAllRefused(unknown.map((one) => () => query(one)));
    const name = 'q'.repeat(64);
    const long = await query(`${name}tail=1`);
    expect(long).toBeProblem('bad_request', new RegExp(name));
    expect(long.text).not.toContain(`${name}t`);
  });
});
