import { fromUtf8 } from '@eaas/protocol';
import { type Endpoint, explain, isWellFormedJson, limits, parseJson } from '@eaas/protocol/wire';
import { Refusal } from './refusal.ts';

type Schema = NonNullable<Endpoint['body']>;

/** Everything that a call takes: of its path, its query and its body. Throws the 415, 413 or 400. */
export function readInput(
  endpoint: Endpoint,
  request: Request,
  bytes: Uint8Array,
  parameters: Readonly<Record<string, string>>,
): object {
  const body = readBody(endpoint, request.headers, bytes);
  const query = readQuery(endpoint.query, new URL(request.url).search.slice(1));
  return { ...query, ...checkBody(endpoint, body), ...parameters };
}

/** None, and an empty one, count as `{}`. */
function readBody(endpoint: Endpoint, headers: Headers, bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  const encoding = headers.get('content-encoding') ?? 'identity';
  const type = headers.get('content-type') ?? '';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  const isJson = /^application\/json[ \t]*(?:;[ \t]*(?:charset="?utf-8"?[ \t]*)?)?$/i.test(type);
  const needsJson = Object.keys(endpoint.body?.shape ?? {}).length > 0;
  if (needsJson && !isJson) {
    throw new Refusal(
      'unsupported_media_type',
      'Send the body as JSON, with `Content-Type: application/json`.',
    );
  }
  if (bytes.length > (endpoint.item ? limits.batchBody : limits.body)) {
    throw new Refusal('too_large', 'The body is too large: send less in one call.');
  }
  return parse(bytes);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(fromUtf8(bytes));
  } catch (error) {
    const isText = error instanceof Error && error.name === 'InputError';
    throw badRequest(isText ? error.message : 'the body is not valid UTF-8');
  }
}

function checkBody(endpoint: Endpoint, body: unknown): object {
  if (!endpoint.item) requireWellFormed(body);
  if (endpoint.body) return checked(endpoint.body, body);
  if (typeof body === 'object' && body !== null && Object.keys(body).length === 0) return {};
  throw badRequest('this call takes no body');
}

/** A value by a schema; throws the 400 that names the field which is wrong, and never its value. */
export function checked(schema: Schema, value: unknown): object {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw badRequest(explain(parsed.error, value));
  return parsed.data;
}

/** Throws the 400 where a text in the value has a lone surrogate. */
export function requireWellFormed(value: unknown): void {
  if (!isWellFormedJson(value)) throw badRequest('a text has a lone surrogate: it is not valid Unicode');
}

function readQuery(schema: Endpoint['query'], text: string): object {
  const known = Object.keys(schema?.shape ?? {});
  const values = new Map<string, string>();
  for (const pair of text === '' ? [] : text.split('&')) {
    const [name = '', ...rest] = pair.split('=');
    const decoded = decode(name, name);
    const value = decode(rest.join('='), decoded);
    const quoted = `query parameter \`${decoded.slice(0, 64)}\``;
    if (value === '') throw badRequest(`${quoted} is empty`);
    if (values.has(decoded)) throw badRequest(`${quoted} stands twice`);
    if (!known.includes(decoded)) throw badRequest(`unknown ${quoted}`);
    values.set(decoded, value);
  }
  return schema ? checked(schema, Object.fromEntries(values)) : {};
}

function decode(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badRequest(`query parameter \`${name.slice(0, 64)}\` is not percent-encoded UTF-8`);
  }
}

function badRequest(reason: string): Refusal {
  return new Refusal('bad_request', `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);
}
