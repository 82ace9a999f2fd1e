import {
  type Endpoint,
  endpoints,
  limits,
  permissions,
  type ProblemCode,
  problemDocument,
  problems,
  type Route,
} from '../wire/index.ts';
import { splitRoute, takesFields } from '../service/index.ts';
import { inputSchema, type JsonSchema, outputSchema } from './openapi-schema.ts';
import { describeField } from './fields.ts';
import { callOf, groups, problemsOf } from './groups.ts';

type Values = Record<string, unknown>;
type Content = Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>;
type Responses = Record<string, { description: string; headers: object; content: Content }>;

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
          description: `An API key, \`eaas_sk_…\`. It has permissions: ${permissions.join(', ')}.`,
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
      all[template] = { ...all[template], [method.toLowerCase()]: operationOf(route, title) };
    }
  }
  return all;
}

export function operationOf(route: Route, tag: string) {
  const endpoint: Endpoint = endpoints[route];
  const { id, about, output } = callOf(route);
  const { path, query, body } = exampleOf(route);
  const schema = bodySchema(endpoint);
  const querySchema = endpoint.query ? inputSchema(endpoint.query) : {};
  return {
    operationId: id,
    tags: [tag],
    summary: endpoint.summary,
    description: about,
    'x-permission': endpoint.permission,
    parameters: [
      ...Object.entries(path).map(([name, example]) => {
        const schema: JsonSchema = { type: 'string', format: 'uuid' };
        return { name, in: 'path', required: true, description: describeField(name), schema, example };
      }),
      ...Object.entries(querySchema.properties ?? {}).map(([name, { description, ...schema }]) => {
        return { name, in: 'query', description, schema, example: query[name] };
      }),
    ],
    ...(takesFields(endpoint) && {
      requestBody: {
        required: (schema.required ?? []).length > 0,
        content: { 'application/json': { schema, example: body } },
      },
    }),
    responses: {
      [endpoint.status ?? 200]: {
        description: endpoint.summary,
        headers: { ...requestId, ...(endpoint.status === 201 && location) },
        content: { 'application/json': { schema: outputSchema(endpoint.output), example: output } },
      },
      ...refusals(problemsOf(route)),
    } as Responses,
  };
}

export function exampleOf(route: Route): { path: Values; query: Values; body: Values } {
  const { query }: Endpoint = endpoints[route];
  const parts = { path: {} as Values, query: {} as Values, body: {} as Values };
  for (const [name, value] of Object.entries<unknown>(callOf(route).input as Values)) {
    const isInPath = new RegExp(`:${name}\\b`).test(route);
    parts[isInPath ? 'path' : name in (query?.shape ?? {}) ? 'query' : 'body'][name] = value;
  }
  return parts;
}

export function bodySchema({ body, item }: Endpoint): JsonSchema {
  const schema = body ? inputSchema(body) : {};
  const items = schema.properties?.['items'];
  if (item && items) {
    Object.assign(items, { items: inputSchema(item), minItems: 1, maxItems: limits.batchItems });
  }
  return schema;
}

const requestId = {
  'X-Request-Id': {
    description: 'The request’s id, which the service also logs.',
    schema: { type: 'string', format: 'uuid' },
  },
};
const location = { Location: { description: 'The path of the new resource.', schema: { type: 'string' } } };

function refusals(codes: readonly ProblemCode[]): Responses {
  const statuses = new Set(codes.map((code) => problems[code].status));
  const responses = Array.from(statuses, (status) => {
    const ofStatus = codes.filter((code) => problems[code].status === status);
    const [first = 'internal'] = ofStatus;
    const only = { properties: { code: { enum: ofStatus } } };
    const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, only] };
    const description = `${problems[first].title}: ${ofStatus.map((code) => `\`${code}\``).join(', ')}`;
    return [status, { description, headers: requestId, content: { 'application/problem+json': { schema } } }];
  });
  return Object.fromEntries(responses) as Responses;
}
