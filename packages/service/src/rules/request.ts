// Parses the query and body of a request, and names what was created. Doors call it.
import { attempt } from '@eaas/protocol/internal';
import {
  badRequest,
  bodyTooLarge,
  checkBody,
  explain,
  parseBody,
  splitRoute,
} from '@eaas/protocol/internal-service';
import { type Endpoint, endpoints, limits, type Route } from '@eaas/protocol/wire';

/** Returns the path of a created record. */
export function locationOf(route: Route, record: object): string {
  const { creates = '' }: Endpoint = endpoints[route];
  return `${splitRoute(route).path}/${String(Reflect.get(record, creates))}`;
}

/** What an endpoint takes. */
type Taking = Pick<Endpoint, 'body' | 'query' | 'item'>;

/** What a request has beside its method and path. */
interface Sent {
  readonly url: string;
  readonly body: Uint8Array;
}

/** Parses the query and the body, whose type its door has judged. Throws Refusal 413 and 400, in this order. */
export function readInput(endpoint: Taking, { url, body }: Sent): object {
  const isEmpty = body.length === 0;
  if (body.length > limits.body) throw bodyTooLarge(limits.body);
  const parsed = isEmpty ? {} : parseBody(endpoint, body);
  return { ...readQuery(endpoint, url), ...checkBody(endpoint, parsed) };
}

/** Checks a query by the endpoint's schema. Throws Refusal. */
function readQuery({ query: schema }: Taking, target: string): Readonly<Record<string, unknown>> {
  const start = target.indexOf('?');
  const values = parseQuery(start < 0 ? '' : target.slice(start + 1));
  const known = Object.keys(schema?.shape ?? {});
  const unknown = Object.keys(values).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const hint = known.length === 0 ? 'takes none' : `takes ${known.map(quoted).join(', ')}`;
    throw badRequest(`unknown query parameter ${quoted(unknown)}: this call ${hint}`);
  }
  if (!schema) return {};
  const parsed = schema.safeParse(values);
  if (!parsed.success) throw badRequest(`query parameter ${explain(parsed.error, values)}`);
  return parsed.data;
}

function parseQuery(text: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const pair of text === '' ? [] : text.split('&')) {
    const [encoded = '', ...rest] = pair.replaceAll('+', ' ').split('=');
    const name = decode(encoded, `query parameter ${quoted(encoded)}`);
    const parameter = `query parameter ${quoted(name)}`;
    const value = decode(rest.join('='), parameter);
    if (value === '') throw badRequest(`${parameter} is empty`);
    if (values.has(name)) throw badRequest(`${parameter} is given twice`);
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

function decode(text: string, what: string): string {
  const decoded = attempt(() => decodeURIComponent(text));
  if (decoded === undefined) throw badRequest(`${what} is not percent-encoded UTF-8`);
  return decoded;
}

const quoted = (name: string): string => `\`${name.slice(0, 64)}\``;
