import {
  type Endpoint,
  endpoints,
  limits,
  permissions,
  type ProblemCode,
  problemDocument,
  problems,
  type Route,
} from '@eaas/protocol/wire';
import { splitRoute } from './api.ts';
import { inputSchema, type JsonSchema, outputSchema } from './openapi-schema.ts';
import { callOf, groups, problemsOf } from './reference/groups.ts';
import { splitInput } from './reference/split-input.ts';
import { describeField } from './reference/fields.ts';

/** The OpenAPI 3.1 document of the endpoint table. */
export function openApiDocument() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Eaas',
      version: '1',
      description: 'Encryption as a service: keys, encryption, searchable hashes and an immutable audit log.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: groups.map(({ title, about }) => ({ name: title, description: about })),
    paths: paths(),
    components: {
      schemas: { Problem: outputSchema(problemDocument) },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key, \`eaas_sk_…\`. It holds permissions: ${permissions.join(', ')}.`,
        },
      },
    },
  };
}

function paths(): Record<string, Record<string, object>> {
  const all: Record<string, Record<string, object>> = {};
  for (const { title, routes } of groups) {
    for (const route of routes) {
      const { path, method } = splitRoute(route);
      const template = path.replace(/:(\w+)/g, '{$1}');
      all[template] = { ...all[template], [method.toLowerCase()]: operation(route, title) };
    }
  }
  return all;
}

function operation(route: Route, tag: string): object {
  const endpoint: Endpoint = endpoints[route];
  const { id, about } = callOf(route);
  const { body } = splitInput(route);
  const takesFields = Object.keys(endpoint.body?.shape ?? {}).length > 0;
  return {
    operationId: id,
    tags: [tag],
    summary: endpoint.summary,
    description: about,
    'x-permission': endpoint.permission,
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(takesFields && {
      requestBody: {
        required: (bodySchema(endpoint).required ?? []).length > 0,
        content: { 'application/json': { schema: bodySchema(endpoint), example: body } },
      },
    }),
    responses: { [endpoint.status ?? 200]: answer(route, endpoint), ...refusals(route) },
  };
}

/** The body's schema; of a batch with what each item is. */
export function bodySchema({ body, item }: Endpoint): JsonSchema {
  const schema = body ? inputSchema(body) : {};
  const items = schema.properties?.['items'];
  if (item && items) {
    Object.assign(items, { items: inputSchema(item), minItems: 1, maxItems: limits.batchItems });
  }
  return schema;
}

function pathParameters(route: Route): object[] {
  return Object.entries(splitInput(route).path).map(([name, example]) => ({
    name,
    in: 'path',
    required: true,
    description: describeField(name),
    schema: { type: 'string', format: 'uuid' },
    example,
  }));
}

function queryParameters(route: Route): object[] {
  const { query }: Endpoint = endpoints[route];
  const examples = splitInput(route).query;
  return Object.entries(query ? (inputSchema(query).properties ?? {}) : {}).map(([name, property]) => {
    const { description, ...schema } = property;
    return { name, in: 'query', description, schema, example: examples[name] };
  });
}

const requestId = {
  'X-Request-Id': {
    description: 'The request’s id, as in the service’s log.',
    schema: { type: 'string', format: 'uuid' },
  },
};
const location = { Location: { description: 'Where the new resource stands.', schema: { type: 'string' } } };

function answer(route: Route, endpoint: Endpoint): object {
  return {
    description: endpoint.summary,
    headers: { ...requestId, ...(endpoint.status === 201 && location) },
    content: {
      'application/json': { schema: outputSchema(endpoint.output), example: callOf(route).example.output },
    },
  };
}

function refusals(route: Route): Record<string, object> {
  const codes = problemsOf(route);
  const statuses = new Set(codes.map((code) => problems[code].status));
  return Object.fromEntries(
    Array.from(statuses, (status) => [
      status,
      refusal(codes.filter((code) => problems[code].status === status)),
    ]),
  );
}

function refusal(codes: readonly ProblemCode[]): object {
  const [first] = codes;
  return {
    description: `${first ? problems[first].title : ''}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
    headers: requestId,
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }],
        },
      },
    },
  };
}
