import { type Context, encodeContext, parseUuid } from '@eaas/protocol';
import { badRequest, checked, Refusal, ruleEach, runBatch } from '@eaas/protocol/service';
import { endpoints, type Endpoint, type Problem } from '@eaas/protocol/wire';
import type { CheckedGrant } from './grant.ts';
import { areInOrder, withReferences } from '../transport/references.ts';
import type { Slices } from '../transport/slices.ts';
import type { Settings } from './options.ts';
import type { Target } from './routes.ts';
import { askService, failed, forBrowser } from './service.ts';

export interface Answered {
  readonly output: object;
  readonly requestId: string | undefined;
}

interface Call {
  readonly target: Target;
  readonly grant: CheckedGrant;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly inSlices: Slices;
  readonly onKeyRefused: (keyId: string | undefined) => void;
}

export async function askOne(body: unknown, call: Call): Promise<Answered> {
  const { target, settings, signal } = call;
  const { key_id, ...fields } = judge(body, endpoints[target.route].body, call);
  return askService(settings, target.route, key_id, target.keyId ? fields : { key_id, ...fields }, signal);
}

export async function askBatch(body: unknown, call: Call): Promise<Answered> {
  const { target, settings, signal, inSlices } = call;
  const { route } = target;
  const { item, body: schema }: Endpoint = endpoints[route];
  if (!schema || !item) throw new Error(`expected a batch route, such as POST /v1/batch/wrap (got ${route})`);
  const { items } = checked(schema, body) as { items: readonly unknown[] };
  let requestId: string | undefined;
  const output = await runBatch(
    items,
    await inSlices(ruleEach(items, (one) => judge(one, item, call))),
    async (allowed) => {
      if (allowed.length === 0) return [];
      const sent = withReferences(allowed);
      const answered = await askService(settings, route, '', { items: sent }, signal);
      ({ requestId } = answered);
      const { results } = answered.output as { results: readonly Result[] };
      if (!areInOrder(results, sent)) throw failed(settings, 'invalid_response', requestId);
      return results.map((result) => {
        const { reference: _, error, ...answer } = result;
        return error ? forBrowser(settings, error, requestId) : answer;
      });
    },
  );
  return { output, requestId };
}

interface Result {
  readonly error?: Problem;
  readonly reference?: string;
}

interface Fields extends Record<string, unknown> {
  readonly key_id?: string;
  readonly context?: Context;
}

function judge(
  value: unknown,
  schema: NonNullable<Endpoint['body']>,
  { target: { operation, batch, keyId: inPath }, grant, onKeyRefused }: Call,
): Fields & { readonly key_id: string } {
  if (value instanceof Refusal) throw value;
  const fields: Fields = checked(schema, value, batch ? 'item' : 'body');
  const { key_id, reference: _, context, ...rest } = fields;
  const bound =
    operation === 'hash' || operation === 'blindHash' ? undefined : boundContext(grant.context, context);
  const keyId = parseUuid(inPath ?? key_id ?? '');
  if (!keyId || !grant.keys.has(keyId)) {
    onKeyRefused(keyId);
    throw new Refusal(
      'not_found',
      'Key not found: pass the id of a key that the app allows this session to use.',
    );
  }
  return { key_id: keyId, ...rest, ...(bound && { context: bound }) };
}

function boundContext(set: Context, added: Context = {}): Context | undefined {
  const taken = Object.keys(added).find((name) => Object.hasOwn(set, name));
  if (taken !== undefined) {
    throw badRequest(
      `\`context\` cannot have the name \`${taken.slice(0, 64)}\`, because the app sets this name`,
    );
  }
  const context = { ...added, ...set };
  if (Object.keys(context).length === 0) return undefined;
  try {
    encodeContext(context);
  } catch {
    throw badRequest('`context` is too large together with the names that the app adds');
  }
  return context;
}
