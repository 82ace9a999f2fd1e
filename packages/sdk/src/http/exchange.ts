// One call over HTTP: retries what is safe to repeat, checks the response, and keeps secrets out of all errors.
import type { Output, Problem, ProblemCode, Receipt, Route } from '@eaas/protocol/wire';
import { attempt, EaasError } from '@eaas/protocol/internal';
import { loadKy } from '#ky';
import type { Receipts, Tracing } from '../events.ts';
import { ServiceError, type ServiceErrorCode, timeoutError, unreadable } from '../errors.ts';
import type { Fetch } from './connection.ts';
import { backoff, retried } from './batches.ts';
import { readAll } from './read-all.ts';
import type { Connection, patienceOf } from './transport.ts';
import { isName, isOutput, namesSameKeys } from './outputs.ts';

interface Asked<R extends Route>
  extends ReturnType<typeof patienceOf>, Pick<Connection, 'baseUrl' | 'inspect' | 'loadKinds' | 'reword'> {
  readonly route: R;
  readonly input: object | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly send: Fetch;
  readonly tracing: Tracing;
  /** What the event of the call says. Gets the number of attempts, and the receipts of the response that ends the call. */
  readonly seen: Receipts & { attempts: number; requestId?: string };
}

// The routes whose calls are safe to repeat. Creations are not safe, because a retry could create a second record.
// Rotations are not safe, because the service refuses a repeated rotation.
const repeatable = /^(GET|PUT|PATCH) |(wrap|hash|decrypt|show|erase)$|^DELETE .*(api-keys|issuers)/;

/**
 * Sends a request, and reads and checks the response. After a temporary failure, sends the request again, at most
 * `retries` times. Throws only ServiceError, and the errors of `inspect`. The errors never contain the request, because
 * the request contains the API key.
 */
export async function exchange<R extends Route>(asked: Asked<R>): Promise<Output<R>> {
  // Copies `fetch` to the variable `send`. Browsers and edge runtimes throw an error if `fetch` is called as a method
  // of another object.
  const { route, headers, send, inspect, reword = String, input = {} } = asked;
  inspect?.(JSON.stringify([headers, input]));
  const { ky, HTTPError } = await loadKy();
  const kinds = await asked.loadKinds?.(route);
  const texts = new WeakMap<Response, string>();
  try {
    const { path, ...request } = requestFor(route, { ...input });
    const response = await ky(path, {
      ...request,
      prefixUrl: asked.baseUrl,
      headers: { accept: 'application/json', ...headers },
      signal: asked.signal,
      timeout: asked.attempt,
      // Does not follow redirects, because a redirected request would contain the API key. Does not use
      // `redirect: 'error'`, because some runtimes lack it.
      redirect: 'manual',
      retry: {
        limit: repeatable.test(route) ? asked.retries : 0,
        methods: [request.method.toLowerCase() as 'get'],
        statusCodes: [...retried],
        delay: backoff,
        maxRetryAfter: 5_000,
        retryOnTimeout: true,
        shouldRetry: ({ error }) => (error instanceof EaasError ? false : undefined),
      },
      // The library ky stops its timer when this function returns. The function reads the body before it returns, so
      // that the time limit includes the body.
      fetch: (...request) => {
        const { url, signal } = request[0] as Request;
        const work = async (answered: (status: number) => void) => {
          const response = await send(...request);
          answered(response.status);
          const text = await textOf(response, signal);
          texts.set(response, text);
          inspect?.(Array.from(response.headers).join() + text);
          return response;
        };
        return asked.tracing({ name: route, request: { url, retries: asked.seen.attempts++ }, work });
      },
    });
    const output = parsed(response);
    if (output === undefined) {
      throw new ServiceError('invalid_response', 'the service did not respond with JSON: is its URL right?');
    }
    if (!isOutput(route, output, kinds, 'eaas-issuer' in headers) || !namesSameKeys(input, output)) {
      throw unreadable();
    }
    note(response, output);
    return withMaskedDetails(output);
  } catch (error) {
    if (error instanceof EaasError) throw error;
    if (error instanceof HTTPError) throw refusal(error.response);
    throw (error as Error | undefined)?.name === 'TimeoutError' ? timeoutError() : networkError(error);
  }

  function parsed(response: Response): unknown {
    return attempt<unknown>(() => JSON.parse(texts.get(response) ?? ''));
  }

  function refusal(response: Response): ServiceError {
    const problem = Object(parsed(response)) as Partial<Problem>;
    const { status } = response;
    const { detail } = problem;
    const code = problem.code ?? codeOf(problem, status);
    const details = { status, requestId: note(response) };
    if (isName(code) && typeof detail === 'string') {
      return new ServiceError(code, masked(detail, input), details);
    }
    // The statuses 502, 503 and 504 without a problem document come from a gateway that cannot reach the service. The
    // code `unavailable` says that the caller can repeat the call.
    const isGateway = status >= 502 && status <= 504;
    const message = isGateway
      ? `a proxy responded with the status ${status}, because it reaches no server that is ready`
      : `the service responded with the status ${status} and no error details: is its URL right?`;
    return new ServiceError(isGateway ? 'unavailable' : 'invalid_response', message, details);
  }

  /** Notes what the event of the call says of the last response, and returns its id. */
  function note(response: Response, output?: object): string | undefined {
    const id = response.headers.get('x-request-id');
    const requestId = isName(id) ? id : undefined;
    Object.assign(asked.seen, requestId && { requestId }, receiptsIn(response, output));
    return requestId;
  }

  function masked(detail: string, part: object): string {
    return reword(mask(detail, [...secretsOfHeaders(headers), ...secretsIn(part)]));
  }

  function withMaskedDetails(output: Output<R>): Output<R> {
    const { items } = input as { items?: object[] };
    const { results } = output as { results?: readonly { error?: { detail: string } }[] };
    if (items && results) {
      for (const [index, { error }] of results.entries()) {
        if (error) error.detail = masked(error.detail, items[index] ?? {});
      }
    }
    return output;
  }

  /**
   * Shows only the code of a system error, such as ECONNREFUSED, because the message of the error might contain
   * secrets.
   */
  function networkError(error: unknown): ServiceError {
    const code = (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
    const reason = typeof code === 'string' && /^[A-Z\d_]{2,40}$/.test(code) ? ` (${code})` : '';
    const { origin } = new URL(asked.baseUrl);
    // A browser does not tell a page whether it was the service that refused the page's origin.
    const page = (globalThis as { location?: { origin: string } }).location?.origin ?? origin;
    const cors = page === origin ? '' : `do the \`allowed_origins\` lack ${page}, `;
    const cure = `${cors}is it running, and is its URL right?`;
    return new ServiceError('network', `the service could not be reached at ${origin}${reason}: ${cure}`);
  }
}

function receiptsIn({ headers }: Response, output: object = {}): Receipts {
  const { results } = output as { readonly results?: readonly { readonly entry?: Receipt }[] };
  const entries = results?.flatMap(({ entry }) => readReceipt(`${entry?.id} ${entry?.hash}`) ?? []);
  if (entries?.length) return { entries };
  const entry = readReceipt(headers.get('eaas-entry'));
  return entry ? { entry } : {};
}

/** Accepts only the digits of a receipt, because events show it, and a faulty gateway could write a secret there. */
function readReceipt(text: string | null): Receipt | undefined {
  const [, id, hash] = /^(\d{1,15}) ([\da-f]{64})$/.exec(text ?? '') ?? [];
  return hash ? { id: Number(id), hash } : undefined;
}

// Repeats the statuses of the table `problems`, because importing the table would make the download of a web page
// larger.
const codes: Readonly<Record<number, ProblemCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'permission_missing',
  404: 'not_found',
  409: 'conflict',
  422: 'decryption_failed',
  429: 'quota_exceeded',
  500: 'internal',
  503: 'unavailable',
};

/** Returns the code for a problem document without the member `code`. The API does not require this member. */
function codeOf(problem: Partial<Problem>, received: number): ServiceErrorCode | undefined {
  const { type, title, status, detail } = problem;
  if (typeof type !== 'string' || typeof title !== 'string' || status !== received) return undefined;
  return detail?.startsWith?.('E_ENVELOPE_ONLY:') ? 'envelope_only' : codes[received];
}

function requestFor(route: Route, input: Record<string, unknown>) {
  const [method = '', template = ''] = route.split(' ');
  const path = template.slice(1).replace(/:(\w+)/g, (_, name: string) => {
    const value = input[name];
    delete input[name];
    return encodeURIComponent(String(value));
  });
  const isRead = /^(GET|DELETE)/.test(method);
  return { method, path, ...(isRead ? { searchParams: input as Record<string, string> } : { json: input }) };
}

const anyApiKey = /eaas_sk_\w*/g;
const anyDek = /[\w+/-]{43}=/g;

/**
 * Replaces API keys, data keys and the given secrets in a text from the service, because a faulty gateway
 * could copy them from the request into the text.
 */
export function mask(text: string, secrets: readonly string[]): string {
  const spellings = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const found = spellings.filter((secret) => secret !== '' && text.includes(secret));
  // Masks longer secrets first. Otherwise, masking a secret that is a part of a longer secret would leave the rest of
  // the longer secret visible.
  found.sort((a, b) => b.length - a.length);
  for (const secret of found) text = text.replaceAll(secret.length < 4 ? asWord(secret) : secret, '…');
  return text.replace(anyApiKey, 'eaas_sk_…').replace(anyDek, '…');
}

/**
 * Matches a short secret only as a separate word, because the letters of a short secret also occur inside other words.
 */
function asWord(secret: string): RegExp {
  const escaped = secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'gu');
}

/** The secret members of a request, and of its items. */
function secretsIn(input: object): string[] {
  const { dek, plaintext, value, items = [] } = input as Record<string, unknown> & { items?: object[] };
  const own = [dek, plaintext, value].filter((secret) => typeof secret === 'string');
  return [...own, ...items.flatMap(secretsIn)];
}

/**
 * Returns the values of headers that might be secret, such as a session token. Values of less than 8 characters, such
 * as `1`, are too short to be a secret.
 */
function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.values(headers);
  return [...values, ...values.flatMap((value) => value.split(/\s+/))].filter(({ length }) => length >= 8);
}

/** Empty responses have no body stream. In React Native, no response has a body stream. */
const textOf = async (response: Response, signal: AbortSignal): Promise<string> =>
  response.body
    ? new TextDecoder().decode(await readAll(response.body, maxBytes, unreadable, signal))
    : response.text();

/**
 * Limits the memory that a response takes. The largest responses of the service are pages of the audit log, of about
 * 4 MiB, and batches, of about 3 MiB.
 */
export const maxBytes = 16 * 2 ** 20;
