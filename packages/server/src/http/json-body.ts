import { type Endpoint, explain, isWellFormedJson, limits, parseJson } from '@eaas/protocol/wire';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../refusal.ts';
import { checkBodyType, hasBody, readBody } from './body.ts';

// ignoreBOM keeps a leading U+FEFF, which JSON then refuses.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body of a call as JSON, not yet checked against a schema. None, and an empty one, count as `{}`. */
export async function readJsonBody(endpoint: Endpoint, request: IncomingMessage): Promise<unknown> {
  if (!hasBody(request)) return {};
  const takesFields = Object.keys(endpoint.body?.shape ?? {}).length > 0;
  checkBodyType(request, takesFields);
  const bytes = await readBody(request, endpoint.item ? limits.batchBody : limits.body);
  return bytes.length === 0 ? {} : parse(bytes);
}

function parse(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new Refusal('bad_request', 'The body is not valid UTF-8.');
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new Refusal(
      'bad_request',
      sentence(error instanceof Error ? error.message : 'the body is not JSON'),
    );
  }
}

/** The body by its schema; throws the 400 that names the field which is wrong, and never its value. */
export function checkBody(endpoint: Endpoint, body: unknown): object {
  if (!endpoint.item) requireWellFormed(body);
  if (endpoint.body) return checked(endpoint.body, body);
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body);
  const [name] = isEmpty ? Object.keys(body) : [];
  if (name !== undefined) throw new Refusal('bad_request', `Unknown field \`${name.slice(0, 64)}\`.`);
  if (!isEmpty) throw new Refusal('bad_request', 'This call takes no body.');
  return {};
}

/** A value by a schema; throws the 400. */
export function checked(schema: NonNullable<Endpoint['body']>, value: unknown, what = 'body'): object {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const reason = explain(parsed.error, value).replace(/^the body/, `the ${what}`);
    throw new Refusal('bad_request', sentence(reason));
  }
  return parsed.data;
}

/** Throws the 400 where a text in the value has a lone surrogate, which no UTF-8 can spell. */
export function requireWellFormed(value: unknown): void {
  if (isWellFormedJson(value)) return;
  throw new Refusal('bad_request', 'A text has a lone surrogate: it is not valid Unicode.');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
