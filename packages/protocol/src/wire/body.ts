// The body of a request: its type, its JSON, its fields, and the results of a batch. Services use it, and the SDK's proxy.
import type * as z from 'zod/mini';
import { InputError } from '../errors.ts';
import { utf8Length } from '../text.ts';
import type { Endpoint } from './endpoint.ts';
import { explain } from './explain.ts';
import { readJson } from './json.ts';
import { limits } from './limits.ts';
import { isObject, type Receipt } from './primitives.ts';
import type { Problem } from './problems.ts';
import { badRequest, Refusal } from './refusal.ts';

/** Throws Refusal for a compressed body, and for one that is not JSON where JSON is needed. */
export function requireBodyType(
  type: string | null | undefined,
  encoding: string | null | undefined,
  needsJson: boolean,
): void {
  if ((encoding ?? 'identity').toLowerCase() !== 'identity') {
    throw new Refusal(
      'unsupported_media_type',
      'The request must have no Content-Encoding header: send the body without compression.',
    );
  }
  const isJson =
    /^application\/json[ \t]*(?:;[ \t]*(?:(?:charset="?utf-8"?|(?!charset=)[\w-]+=(?:[^\s;,"]+|"[^"]*"))[ \t]*)?)*$/i;
  if (needsJson && !isJson.test(type ?? '')) {
    const detail = 'Send the body as JSON, with `Content-Type: application/json`.';
    throw new Refusal('unsupported_media_type', detail);
  }
}

/** Parses the JSON of a body. In a batch, an item at fault becomes a Refusal and does not fail the others. */
export function parseBody({ item }: Pick<Endpoint, 'item'>, bytes: Uint8Array): unknown {
  try {
    return readJson(bytes, item && orRefused);
  } catch (error) {
    throw error instanceof InputError ? badRequest(error.message) : error;
  }
}

function orRefused(item: unknown, fault: string): unknown {
  const { reference } = (item ?? {}) as { readonly reference?: unknown };
  return Object.assign(badRequest(fault), { reference });
}

/** Checks a body by the endpoint's schema. Throws Refusal. */
export function checkBody(
  endpoint: Pick<Endpoint, 'body'>,
  body: unknown,
): Readonly<Record<string, unknown>> {
  if (endpoint.body) return checked(endpoint.body, body);
  if (!isObject(body)) throw badRequest('this call takes no body');
  const [name] = Object.keys(body);
  if (name !== undefined) throw badRequest(`unknown field \`${name.slice(0, 64)}\``);
  return {};
}

/** Parses a body or an item by its schema. The error must not contain the value, which might be a secret. */
export function checked<Schema extends z.ZodMiniObject>(
  schema: Schema,
  value: unknown,
  what: 'body' | 'item' = 'body',
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw badRequest(explain(parsed.error, value).replace(/^the body/, `the ${what}`));
}

/** The result of an item: its answer, or the problem why it failed, and the audit entry about it if there is one. */
export type BatchResult<Answer> = (Answer | { readonly error: Problem }) & {
  entry?: Receipt;
  reference?: string;
};

/** Puts the receipt of an item's entry and its reference into its answer. Refusals have them too. */
export function resultOf<Answer extends object>(
  item: unknown,
  answer: Answer | Refusal,
  entry: Receipt | undefined,
): BatchResult<Answer> {
  const result: BatchResult<Answer> = answer instanceof Refusal ? { error: answer.problem } : answer;
  if (entry) result.entry = entry;
  const reference = referenceOf(item);
  if (reference !== undefined) result.reference = reference;
  return result;
}

function referenceOf(item: unknown): string | undefined {
  const hasReference = typeof item === 'object' && item !== null && Object.hasOwn(item, 'reference');
  const reference: unknown = hasReference ? Reflect.get(item, 'reference') : undefined;
  if (typeof reference !== 'string' || !reference.isWellFormed()) return undefined;
  return utf8Length(reference) <= limits.reference ? reference : undefined;
}
