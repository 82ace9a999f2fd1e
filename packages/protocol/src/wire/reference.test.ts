import { describe, expect, it } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { endpoints, type Route } from './endpoints.ts';
import { sharedFields } from './fields.ts';
import { abouts } from './openapi.ts';
import {
  bodySchema,
  callOf,
  exampleOf,
  groups,
  inputSchema,
  type JsonSchema,
  openApiDocument,
  outputSchema,
} from './reference.ts';

interface Operation {
  operationId: string;
  responses: Record<string, { content: Record<string, { schema: JsonSchema }> }>;
}

/** The members of an operation that OpenAPI requires. */
interface WholeOperation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: object;
  }[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
  readonly tags: readonly string[];
}

const routes = Object.entries(endpoints) as [Route, Endpoint][];
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

describe('the OpenAPI document', () => {
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
    for (const { path, operation: described } of operations) {
      const operation = described as unknown as WholeOperation;
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
});

describe('the fields', () => {
  const undescribed = (schema: JsonSchema, path: string): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      (field.description ? [] : [`${path}.${name}`]).concat(undescribed(field, `${path}.${name}`)),
    ),
    ...(schema.items ? undescribed(schema.items, path) : []),
    ...(schema.anyOf ?? []).flatMap((one) => undescribed(one, path)),
  ];

  it('no two groups describe the same name', () => {
    const names = [sharedFields, ...abouts.map(({ fields }) => fields)].flatMap((said) => Object.keys(said));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it.each(routes)('each field of %s has a description', (route, endpoint) => {
    expect(undescribed(bodySchema(endpoint), 'body')).toEqual([]);
    expect(undescribed(outputSchema(endpoint.output), 'output')).toEqual([]);
    expect(endpoint.query ? undescribed(inputSchema(endpoint.query), 'query') : []).toEqual([]);
  });
});
