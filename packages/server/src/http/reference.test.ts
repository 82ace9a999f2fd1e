import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { endpoints, problems } from '@eaas/protocol/wire';
import { describe, expect, it } from 'vitest';
import { routes } from '@eaas/protocol/service';
import {
  bodySchema,
  callOf,
  exampleOf,
  fields,
  groups,
  inputSchema,
  type JsonSchema,
  openApiDocument,
  outputSchema,
  problemsOf,
} from '@eaas/protocol/reference';
import { icon, style, tokens } from './docs/style.ts';
import { listen } from './testing/listen.ts';

interface Operation {
  operationId: string;
  tags: string[];
  parameters: { name: string; in: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema; example: unknown }> };
  responses: Record<string, { description: string; content: Record<string, { schema: JsonSchema }> }>;
}

const document = openApiDocument();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
);

describe('the examples', () => {
  it.each(routes)('the example of %s matches the schemas of the call', (route, endpoint) => {
    const { query, body } = exampleOf(route);
    const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
    expect(endpoint.query?.safeParse(texts).error).toBeUndefined();
    expect(endpoint.body?.safeParse(body).error).toBeUndefined();
    const items = endpoint.item && 'items' in body ? (body['items'] as unknown[]) : [];
    expect(items.map((item) => endpoint.item?.safeParse(item).error)).toEqual(items.map(() => undefined));
    const { output } = callOf(route);
    expect(endpoint.output.parse(output)).toEqual(output);
  });
});

describe('/openapi.json', () => {
  it('/openapi.json is served', async () => {
    const { fetch } = await listen();
    const response = await fetch('/openapi.json');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('the OpenAPI document has every route of the table once, with a unique operationId', () => {
    const served = operations.map(
      ({ path, method }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(served.sort()).toEqual(Object.keys(endpoints).sort());
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    expect(groups.flatMap(({ routes }) => routes).sort()).toEqual(Object.keys(endpoints).sort());
  });

  it('the OpenAPI document has the members that OpenAPI 3.1 requires', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(Object.keys(document).sort()).toEqual(
      ['components', 'info', 'openapi', 'paths', 'security', 'servers', 'tags'].sort(),
    );
    expect(document.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every(({ required }) => required === true)).toBe(true);
      expect(
        operation.parameters.every(({ schema, in: place }) => schema && /^(path|query)$/.test(place)),
      ).toBe(true);
      expect(Object.keys(operation.responses).every((status) => /^[2-5]\d\d$/.test(status))).toBe(true);
      expect(Object.values(operation.responses).every(({ description }) => description !== '')).toBe(true);
      expect(operation.tags.every((tag) => document.tags.some(({ name }) => name === tag))).toBe(true);
    }
  });

  it('every reference in the OpenAPI document has a target', () => {
    const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? [];
    expect(new Set(references)).toEqual(new Set(['"$ref":"#/components/schemas/Problem"']));
  });

  it('the OpenAPI document lists the problem codes of each call', () => {
    const hash = operations.find(({ operation }) => operation.operationId === 'hash')?.operation;
    expect(Object.keys(hash?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '500',
      '503',
    ]);
    const conflict = hash?.responses['409']?.content['application/problem+json']?.schema;
    expect(conflict).toMatchObject({ allOf: [{}, { properties: { code: { enum: ['key_state'] } } }] });
  });

  it('the OpenAPI document has 404 for every call that names a key', () => {
    for (const id of ['listAudit', 'createApiKey']) {
      const found = operations.find(({ operation }) => operation.operationId === id);
      expect(Object.keys(found?.operation.responses ?? {})).toContain('404');
    }
  });

  it('the OpenAPI document states the largest accepted offset', () => {
    const offsets = operations.flatMap(({ operation }) =>
      operation.parameters.filter(({ name }) => name === 'offset'),
    );
    expect(offsets.length).toBeGreaterThan(0);
    for (const { schema } of offsets) expect(schema).toMatchObject({ minimum: 0, maximum: 2 ** 53 - 1 });
  });

  it('the OpenAPI document describes the items of a batch and optional bodies', () => {
    const wrap = operations.find(({ operation }) => operation.operationId === 'wrapKeys')?.operation;
    const body = wrap?.requestBody?.content['application/json']?.schema;
    expect(body?.properties?.['items']).toMatchObject({
      minItems: 1,
      maxItems: 1000,
      items: { required: ['dek', 'key_id'] },
    });
    const rotate = operations.find(({ operation }) => operation.operationId === 'rotateKey')?.operation;
    expect(rotate?.requestBody?.required).toBe(false);
    expect(
      operations.find(({ operation }) => operation.operationId === 'enableKey')?.operation.requestBody,
    ).toBeUndefined();
  });
});

describe('the fields', () => {
  const undescribed = (schema: JsonSchema, path: string): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      (field.description ? [] : [`${path}.${name}`]).concat(undescribed(field, `${path}.${name}`)),
    ),
    ...(schema.items ? undescribed(schema.items, path) : []),
    ...(schema.anyOf ?? []).flatMap((one) => undescribed(one, path)),
  ];

  it.each(routes)('each field of %s has a description', (route, endpoint) => {
    expect(undescribed(bodySchema(endpoint), 'body')).toEqual([]);
    expect(undescribed(outputSchema(endpoint.output), 'output')).toEqual([]);
    expect(endpoint.query ? undescribed(inputSchema(endpoint.query), 'query') : []).toEqual([]);
  });

  it('each field that has a description exists in a schema', () => {
    const text = JSON.stringify(document);
    const unused = Object.keys(fields).filter(
      (name) => !text.includes(JSON.stringify(name.split('.').at(-1))),
    );
    expect(unused.filter((name) => !name.startsWith('key.'))).toEqual([]);
  });
});

describe('/docs', () => {
  it('the page /docs describes every call and every problem code, and loads no external files', async () => {
    const { fetch } = await listen();
    const response = await fetch('/docs');
    const page = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const ids = routes
      .map(([route]) => callOf(route).id)
      .concat(Object.keys(problems).map((code) => `problem-${code}`));
    expect(ids.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);

    const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; frame-ancestors 'none'`;
    expect(response.headers.get('content-security-policy')).toBe(policy);
    expect(page.match(/<script|<img| style=| on\w+=| src=/)).toBeNull();
    const outside = (page.match(/href="[^"]*"/g) ?? []).filter(
      (link) => !/^href="(#|\/openapi\.json|data:image\/svg)/.test(link),
    );
    expect(outside).toEqual([]);
  });

  it.each([
    ['neither page', [], []],
    ['the console', ['/console/'], ['/console/']],
    ['both pages', ['/', '/console/', '/console/assets/app.js'], ['/', '/console/']],
  ])('if the server has %s, the page /docs links only to it', async (_, urls, links) => {
    const served = urls.map((url) => ({ url, type: 'text/html', bytes: Buffer.from(''), isHashed: false }));
    const { fetch } = await listen(undefined, { console: { pages: served, publicUrl: null } });
    const page = await (await fetch('/docs')).text();
    const found = Array.from(page.matchAll(/href="(\/[^"]*)"/g), ([, link]) => link);
    expect(found.filter((link) => link !== '/openapi.json')).toEqual(links);
  });

  it('the page /docs has the colours, fonts and icon of the console', () => {
    const read = (name: string) =>
      readFileSync(new URL(`../../../console/src/${name}`, import.meta.url), 'utf8');
    const [light = '', dark = ''] = read('styles/tokens.css').split('@media');
    for (const [name, value] of Object.entries(tokens.light)) expect(light).toContain(`--${name}: ${value};`);
    for (const [name, value] of Object.entries(tokens.dark)) expect(dark).toContain(`--${name}: ${value};`);
    const used = new Set(Array.from(style.matchAll(/var\(--([\w-]+)\)/g), ([, name]) => name));
    expect([...used].filter((name = '') => !(name in tokens.light))).toEqual([]);
    expect(read('page.html')).toContain(`href="${icon}"`);
  });

  it('every link on the page /docs has a target', async () => {
    const { fetch } = await listen();
    const page = await (await fetch('/docs')).text();
    const anchors = new Set(Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
    const links = Array.from(page.matchAll(/href="#([^"]+)"/g), ([, id]) => id);
    expect(links.filter((id) => !anchors.has(id))).toEqual([]);
    expect(anchors.size).toBe(Array.from(page.matchAll(/ id="/g)).length);
  });
});

it('the OpenAPI document lists 413 for calls with body fields and 403 for calls of server mode', () => {
  for (const [route, endpoint] of routes) {
    const takesFields = Object.keys(endpoint.body?.shape ?? {}).length > 0;
    expect(problemsOf(route).includes('too_large')).toBe(takesFields);
    expect(problemsOf(route).includes('envelope_only')).toBe(endpoint.serverMode === true);
  }
});
