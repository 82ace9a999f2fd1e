// Makes the OpenAPI document and the reference from the table of endpoints, so that neither contradicts a schema.
import * as z from 'zod/mini';
import { aboutApiKeys } from './api-keys.ts';
import { aboutAudit } from './audit.ts';
import { aboutBatches } from './batches.ts';
import { aboutDataKeys } from './data-keys.ts';
import { type CallText, canWrite, type Endpoint, splitRoute, takesFields } from './endpoint.ts';
import { endpoints, type Route } from './endpoints.ts';
import { sharedFields } from './fields.ts';
import { aboutIssuers } from './issuers.ts';
import { aboutKeys } from './keys.ts';
import { limits } from './limits.ts';
import { permissions } from './permissions.ts';
import { type ProblemCode, problemDocument, problems } from './problems.ts';
import { samples } from './samples.ts';
import { aboutServerMode } from './server-mode.ts';
import { aboutSubjects } from './subjects.ts';
import { aboutUsage } from './usage.ts';

/** What each group says. */
export const abouts = [
  aboutServerMode(),
  aboutDataKeys(),
  aboutBatches(),
  aboutSubjects(),
  aboutKeys(),
  aboutAudit(),
  aboutApiKeys(),
  aboutIssuers(),
  aboutUsage(),
];

const calls = Object.assign({}, ...abouts.map((group) => group.calls)) as Record<Route, CallText>;

/** The sections of the reference, in their order, with the endpoints of each. */
export const groups = abouts.map(({ title, about, calls }) => ({
  title,
  about,
  routes: Object.keys(calls) as Route[],
}));

type Texts = Readonly<Record<string, string>>;

const fields = Object.assign({}, sharedFields, ...abouts.map((group) => group.fields)) as Texts;

/** Returns the sentence about a field, that of its parent first. */
export const describeField = (name: string, parent = ''): string | undefined =>
  fields[`${parent}.${name}`] ?? fields[name];

const ids = { key_id: samples.keyId, api_key_id: samples.apiKeyId, issuer_id: samples.issuerId };

/** What the reference says about an endpoint beyond its schema. */
export function callOf(route: Route): Required<CallText> {
  const { input, problems = [], ...call } = calls[route];
  const { parameters } = splitRoute(route);
  const path = Object.entries(ids).filter(([name]) => parameters.includes(name));
  return { ...call, problems, input: { ...Object.fromEntries(path), ...input } };
}

/** The keywords of a JSON Schema that the reference reads. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  [keyword: string]: unknown;
}

type Values = Record<string, unknown>;
type Content = Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>;
type Responses = Record<string, { description: string; headers: object; content: Content }>;

/** Returns the document that a server sends at `/openapi.json`. */
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

function paths(): Record<string, Record<string, Operation>> {
  const all: Record<string, Record<string, Operation>> = {};
  for (const { title, routes } of groups) {
    for (const route of routes) {
      const { path, method } = splitRoute(route);
      const template = path.replace(/:(\w+)/g, '{$1}');
      all[template] = { ...all[template], [method.toLowerCase()]: operationOf(route, title) };
    }
  }
  return all;
}

type Operation = ReturnType<typeof operationOf>;

/** Returns the OpenAPI operation of an endpoint. */
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
        headers: { ...headersOf(route), ...(endpoint.status === 201 && location) },
        content: { 'application/json': { schema: outputSchema(endpoint.output, id), example: output } },
      },
      ...refusals(route),
    } as Responses,
  };
}

/** Returns the example of a call, divided into path, query and body. */
export function exampleOf(route: Route): { path: Values; query: Values; body: Values } {
  const { query }: Endpoint = endpoints[route];
  const { parameters } = splitRoute(route);
  const parts = { path: {} as Values, query: {} as Values, body: {} as Values };
  for (const [name, value] of Object.entries<unknown>(callOf(route).input as Values)) {
    parts[parameters.includes(name) ? 'path' : name in (query?.shape ?? {}) ? 'query' : 'body'][name] = value;
  }
  return parts;
}

/** Returns the schema of the body of a call. For a batch it contains that of each item. */
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
const receipt = {
  'Eaas-Entry': {
    description: 'The id of the audit entry and its hash, in hexadecimal, if the call has written an entry.',
    schema: { type: 'string', pattern: '^[0-9]+ [0-9a-f]{64}$' },
  },
};
const location = { Location: { description: 'The path of the new resource.', schema: { type: 'string' } } };

/** The headers of all responses. A batch has its receipts in its results. */
function headersOf(route: Route) {
  const endpoint: Endpoint = endpoints[route];
  return { ...requestId, ...(!endpoint.item && canWrite(route, endpoint) && receipt) };
}

function refusals(route: Route): Responses {
  const codes = problemsOf(route);
  const headers = headersOf(route);
  const statuses = new Set(codes.map((code) => problems[code].status));
  const responses = Array.from(statuses, (status) => {
    const ofStatus = codes.filter((code) => problems[code].status === status);
    const [first = 'internal'] = ofStatus;
    const only = { properties: { code: { enum: ofStatus } } };
    const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, only] };
    const description = `${problems[first].title}: ${ofStatus.map((code) => `\`${code}\``).join(', ')}`;
    return [status, { description, headers, content: { 'application/problem+json': { schema } } }];
  });
  return Object.fromEntries(responses) as Responses;
}

/** Returns the codes that a call can fail with, in the order of the table of errors. */
export function problemsOf(route: Route): ProblemCode[] {
  const endpoint: Endpoint = endpoints[route];
  const { parameters } = splitRoute(route);
  const codes = new Set<ProblemCode>([
    'bad_request',
    'unauthorized',
    'permission_missing',
    'origin_refused',
    'internal',
    'unavailable',
    ...(takesFields(endpoint) ? (['too_large', 'unsupported_media_type'] as const) : []),
    ...(endpoint.serverMode ? (['envelope_only'] as const) : []),
    ...(parameters.length > 0 || endpoint.body?.shape['key_id'] ? (['not_found'] as const) : []),
    ...(canWrite(route, endpoint) ? (['audit_unwritten'] as const) : []),
    ...callOf(route).problems,
  ]);
  return (Object.keys(problems) as ProblemCode[]).filter((code) => codes.has(code));
}

/** Returns the schema of what a client sends. Its objects allow no unknown fields. */
export const inputSchema = (schema: z.ZodMiniType): JsonSchema => schemaOf(schema, 'input');

/** The objects of a response allow unknown fields, because later versions of the service can add fields. */
export const outputSchema = (schema: z.ZodMiniType, name?: string): JsonSchema =>
  schemaOf(schema, 'output', name);

function schemaOf(schema: z.ZodMiniType, io: 'input' | 'output', name = ''): JsonSchema {
  return describe(z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema, name, io === 'input');
}

function describe(schema: JsonSchema, name: string, closed: boolean): JsonSchema {
  const { $schema: _, propertyNames: __, ...rest } = schema;
  const tidy: JsonSchema = rest;
  // zod adds a minimum and a maximum to every integer, so limits that the schema does not set are removed.
  const isBounded = closed && tidy['minimum'] !== Number.MIN_SAFE_INTEGER;
  if (!isBounded && tidy['maximum'] === Number.MAX_SAFE_INTEGER) delete tidy['maximum'];
  if (tidy['minimum'] === Number.MIN_SAFE_INTEGER) delete tidy['minimum'];
  if (!closed && tidy['additionalProperties'] === false) delete tidy['additionalProperties'];
  if (tidy.items) tidy.items = describe(tidy.items, name, closed);
  if (tidy.anyOf) tidy.anyOf = tidy.anyOf.map((one) => describe(one, name, closed));
  if (tidy.properties) {
    const members = Object.entries(tidy.properties).map(([field, value]) => {
      const description = describeField(field, name);
      return [field, { ...(description && { description }), ...describe(value, field, closed) }] as const;
    });
    tidy.properties = Object.fromEntries(members);
  }
  return tidy;
}
