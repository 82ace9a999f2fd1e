// Checks responses without zod, by descriptions that are generated from the endpoint table, and that a response is about the
// records that were asked for.
import type { Output, Route } from '@eaas/protocol/wire';
import ofPages from './page-kinds.json' with { type: 'json' };

export { ofPages };

/**
 * A kind describes how to check a JSON value. The kinds of all responses are generated from the endpoint table
 * (`npm run generate`), by their routes, and with names for those of several routes.
 *
 * - `[kind]`: the value must be an array, and each item must have the kind in the brackets.
 * - `[kind, null]`: the value must be null or have the kind in the brackets.
 * - `[kind, 'optional']`: the value may be missing.
 * - An object with kinds: the value must be an object with these members.
 * - `text`: the value must be a string. For a union of strings, every string is accepted, because a newer service can
 *   add strings to the union.
 */
type Kind = string | [Kind, (null | 'optional')?] | { readonly [name: string]: Kind };
type Kinds = Readonly<Record<string, Kind>>;

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value: unknown) => typeof value === 'string',
  hash: (value: unknown) => typeof value === 'string' && /^[\da-f]{64}$/.test(value),
  name: isName,
  count: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  truth: (value: unknown) => typeof value === 'boolean',
  object: isObject,
};

const refused: Kind = {
  error: { code: 'name', detail: 'text', status: 'count' },
  entry: [{ id: 'count', hash: 'text' }, 'optional'],
};

/**
 * Returns whether a response has every member of the route's output, or of its output for a user of an issuer. Ignores
 * other members. By default, `given` has those of the routes that pages call, so that pages do not load the others.
 */
export function isOutput<R extends Route>(
  route: R,
  output: unknown,
  given: object = ofPages,
  forUser = false,
): output is Output<R> {
  const kinds = given as Kinds;
  const kind = (forUser && kinds[`${route} of users`]) || kinds[route];
  const { results } = Object(output) as { results?: unknown };
  if (!kind) return false;
  if (!route.includes('/batch/')) return hasKind(output, kind, kinds);
  return (
    Array.isArray(results) &&
    results.every((result) => hasKind(result, isObject(result) && 'error' in result ? refused : kind, kinds))
  );
}

function hasKind(value: unknown, kind: Kind, kinds: Kinds): boolean {
  if (typeof kind === 'string') return checks[kind]?.(value) ?? hasKind(value, kinds[kind] ?? {}, kinds);
  if (Array.isArray(kind)) {
    if (kind.length === 2) return value === (kind[1] ? undefined : null) || hasKind(value, kind[0], kinds);
    return Array.isArray(value) && value.every((item) => hasKind(item, kind[0], kinds));
  }
  if (!isObject(value)) return false;
  for (const name in kind) if (!hasKind(value[name], kind[name] as Kind, kinds)) return false;
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns whether a value is a valid code or request id. A text with an API key is not valid, because errors show codes
 * and request ids, and a faulty server could return the API key of the request.
 */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) && !value.includes('eaas_sk_');
}

const ids = ['key_id', 'api_key_id', 'issuer_id'] as const;
type Named = { readonly [Id in (typeof ids)[number]]?: string };

/**
 * Returns false if the response has another key id, API key id or issuer id than the request. A faulty proxy cache can cause this,
 * because it can return the response to another request.
 */
export function namesSameKeys(request: object, response: object): boolean {
  const { items = [request] } = request as { items?: readonly Named[] };
  const { results = [response] } = response as { results?: readonly Named[] };
  return items.every((item: Named, index) => {
    const result: Named = results[index] ?? {};
    return ids.every((id) => {
      const asked = item[id];
      const received = result[id];
      return asked === undefined || received === undefined || asked.toLowerCase() === received;
    });
  });
}
