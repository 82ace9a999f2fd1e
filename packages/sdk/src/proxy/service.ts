import {
  endpoints,
  type Endpoint,
  type Problem,
  problemDocument,
  type ProblemCode,
  type Route,
} from '@eaas/protocol/wire';
import { abortable } from '../abortable.ts';
import type { Answered } from './calls.ts';
import type { Settings } from './options.ts';
import { Refusal } from './refusal.ts';

interface Question {
  readonly route: Route;
  /** Beneath the address of the service. */
  readonly path: string;
  readonly body: object;
  readonly signal: AbortSignal;
}

/** Asks the service with the app's own API key. Throws Refusal, after telling the operator what is theirs to mend. */
export async function askService(settings: Settings, question: Question): Promise<Answered> {
  const { signal } = question;
  const response = await reach(settings, await tokenOf(settings, signal), question);
  const requestId = requestIdOf(response.headers);
  const json: unknown = await abortable(response.json(), signal).catch(() => undefined);
  const { output }: Endpoint = endpoints[question.route];
  const answer = response.status === 200 ? output.safeParse(json) : undefined;
  if (answer?.success) return { output: answer.data, requestId };
  const refused = response.status >= 400 ? problemDocument.safeParse(json) : undefined;
  if (refused?.success) throw forBrowser(settings, refused.data, requestId);
  if (signal.aborted) throw tooLate(settings, signal);
  throw failed(settings, 'invalid_response', requestId);
}

async function tokenOf(settings: Settings, signal: AbortSignal): Promise<string> {
  const { apiKey } = settings;
  try {
    // Raced, because what answers the API key does not listen to a signal, and not every `fetch` does.
    return typeof apiKey === 'string' ? apiKey : await abortable((async () => apiKey())(), signal);
  } catch (error) {
    if (signal.aborted) throw tooLate(settings, signal);
    settings.report({ type: 'failed', error });
    throw badGateway(undefined);
  }
}

async function reach(settings: Settings, token: string, question: Question): Promise<Response> {
  const { path, body, signal } = question;
  try {
    // Not called as a method: `fetch` refuses another `this` in browsers and edge runtimes.
    const { fetch } = settings;
    const asking = fetch(settings.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // Not followed, and then no answer: the API key goes nowhere else. Some runtimes do not know `error`.
      redirect: 'manual',
      signal,
    });
    return await abortable(asking, signal);
  } catch {
    // What is thrown may hold the header with the API key: none of it goes on.
    throw signal.aborted ? tooLate(settings, signal) : failed(settings, 'network', undefined);
  }
}

function tooLate(settings: Settings, { reason }: AbortSignal): Refusal {
  // A browser that went away is nobody's failure.
  if (reason instanceof DOMException && reason.name === 'TimeoutError') {
    settings.report({ type: 'service_failed', reason: 'timeout', requestId: undefined });
  }
  const status = { status: 504, title: 'Gateway Timeout' };
  return new Refusal('unavailable', 'The key service did not answer in time; try again.', status);
}

/** The answer to what the service did not answer as it should; the operator is told. */
export function failed(
  settings: Settings,
  reason: 'network' | 'invalid_response',
  requestId: string | undefined,
): Refusal {
  settings.report({ type: 'service_failed', reason, requestId });
  return badGateway(requestId);
}

function badGateway(requestId: string | undefined): Refusal {
  const status = { status: 502, title: 'Bad Gateway', requestId };
  return new Refusal('unavailable', 'The key service cannot be used at the moment.', status);
}

/** Codes whose detail is about the call. All others would tell a browser how the app stands with the service. */
const passedOn: ReadonlySet<ProblemCode> = /* @__PURE__ */ new Set<ProblemCode>([
  'bad_request',
  'not_found',
  'key_state',
  'wrapped_key_unauthentic',
  'audit_unwritten',
  'internal',
]);

/** A problem of the service as the browser may see it. What concerns the API key is told to the operator instead. */
export function forBrowser(
  settings: Settings,
  { code, detail }: Pick<Problem, 'code' | 'detail'>,
  requestId: string | undefined,
): Refusal {
  if (passedOn.has(code)) return new Refusal(code, detail, { requestId });
  if (code === 'unavailable') {
    return new Refusal(code, 'The key service cannot answer at the moment; try again.', { requestId });
  }
  settings.report({ type: 'api_key_refused', code, requestId });
  return badGateway(requestId);
}

/** Made by the service, and passed on where it looks like one of its ids. */
function requestIdOf(headers: Headers): string | undefined {
  const id = headers.get('x-request-id');
  return id !== null && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}
