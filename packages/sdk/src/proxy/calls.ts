import { endpoints, type Endpoint, type Problem } from '@eaas/protocol/wire';
import { judgeBatch } from './batch.ts';
import type { CheckedGrant } from './grant.ts';
import { checked, judge } from './judge.ts';
import type { Settings } from './options.ts';
import type { Target } from './routes.ts';
import { askService, failed, forBrowser } from './service.ts';

/** What the browser is answered: only what the call's schema knows. */
export interface Answered {
  readonly output: object;
  /** The service's, where it was asked. */
  readonly requestId: string | undefined;
}

/** A call that may be made, as far as can be said before its body is read. */
interface Call {
  readonly target: Target;
  readonly grant: CheckedGrant;
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

/** Makes a single call. Throws Refusal. */
export async function askOne(body: unknown, { target, grant, settings, signal }: Call): Promise<Answered> {
  const { route } = target;
  const { keyId, fields } = judge(body, target, grant);
  const path = pathOf(route).replace(':key_id', keyId);
  const question = target.keyId ? fields : { key_id: keyId, ...fields };
  return askService(settings, { route, path, body: question, signal });
}

/** Makes the calls of a batch that may be made, in one, and answers all in their places. Throws Refusal. */
export async function askBatch(body: unknown, { target, grant, settings, signal }: Call): Promise<Answered> {
  const { route } = target;
  const { body: schema }: Endpoint = endpoints[route];
  const { items } = checked(schema, body) as { items: readonly unknown[] };
  const { allowed, inPlace } = judgeBatch(items, target, grant);
  if (allowed.length === 0) return { output: inPlace([]), requestId: undefined };
  const question = { items: allowed.map(({ keyId, fields }) => ({ key_id: keyId, ...fields })) };
  const answered = await askService(settings, { route, path: pathOf(route), body: question, signal });
  const { requestId } = answered;
  const { results } = answered.output as { results: readonly { readonly error?: Problem }[] };
  if (results.length !== allowed.length) throw failed(settings, 'invalid_response', requestId);
  const shown = results.map((result) =>
    result.error ? { error: forBrowser(settings, result.error, requestId).problem } : result,
  );
  return { output: inPlace(shown), requestId };
}

function pathOf(route: string): string {
  return route.slice('POST '.length);
}
