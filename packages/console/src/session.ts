// Signs in with a code of `eaas dev`, which a tab keeps for a reload, or with an API key, which stays in memory only.
import { EaasClient, type EaasEvent, EaasError, ServiceError } from '@eaas/sdk';
import { signal } from '@preact/signals';

/** Where a service is, and what sends requests to it. */
interface Service {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
}

export interface Session {
  readonly apiKey: string;
  readonly service: Service;
  /** Whether a sign-in code of `eaas dev` opened the session: it has every permission in a tenant for development. */
  readonly isDevelopment: boolean;
  readonly tenant: string | undefined;
  readonly expiresAt: Date | undefined;
  readonly client: EaasClient;
}

export type SignedOut = 'new' | 'code_refused' | 'code_unanswered' | 'expired' | 'left';

export const session = signal<Session | undefined>(undefined);
export const signedOut = signal<SignedOut>('new');
export const isEntering = signal(false);
export const isAway = signal(false);

/** The session of the page that is shown. A page is shown only while the user is signed in, and another session shows it anew. */
export function signedIn(): Session {
  const current = session.peek();
  if (!current) throw new Error('a page needs a session (got none): reload the page');
  return current;
}

let endOfSession: ReturnType<typeof setTimeout> | undefined;
let waitingCode: string | undefined;

export function takeCode(address: Location, past: History): string | undefined {
  const [, code] = /^#code=([\w-]{43})$/.exec(address.hash) ?? [];
  if (address.hash.startsWith('#code=')) past.replaceState(null, '', address.pathname + address.search);
  return code;
}

interface Answer {
  readonly api_key: string;
  readonly expires_at: string;
  readonly tenant: string;
}

export async function enterWithCode(code: string | undefined = waitingCode): Promise<void> {
  if (code === undefined) return;
  isEntering.value = true;
  waitingCode = undefined;
  try {
    const response = await fetch('/console/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (response.status !== 201) {
      throw new ServiceError(
        'unauthorized',
        'the sign-in code is wrong, was already used or has expired: get a new sign-in code',
        response,
      );
    }
    const answer = (await response.json()) as Answer;
    enterForDevelopment(answer);
    keep(answer);
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.status !== undefined && error.status < 500;
    if (!isRefused) waitingCode = code;
    // The user may have opened an old sign-in URL in a tab that is signed in.
    if (isRefused && (session.value || enterAgain())) return;
    signedOut.value = isRefused ? 'code_refused' : 'code_unanswered';
  } finally {
    isEntering.value = false;
  }
}

/**
 * The tab keeps the session of a sign-in code of `eaas dev` for a reload, until the API key expires. An API key that a
 * user pasted stays in memory only, because other pages of this origin can read the storage.
 */
const kept = 'eaas-dev-session';

function keep(answer: Answer | undefined): void {
  try {
    if (answer) sessionStorage.setItem(kept, JSON.stringify(answer));
    else sessionStorage.removeItem(kept);
  } catch {
    // A browser can forbid storage. The session then ends with a reload.
  }
}

/** Signs in with the session that this tab kept before a reload. Returns whether there was one. */
export function enterAgain(): boolean {
  try {
    const answer = JSON.parse(sessionStorage.getItem(kept) ?? 'null') as Answer | null;
    if (!answer || !(Date.parse(answer.expires_at) > Date.now())) return false;
    enterForDevelopment(answer);
    return true;
  } catch {
    return false;
  }
}

function enterForDevelopment({ api_key, expires_at, tenant }: Answer): void {
  enter(api_key, { isDevelopment: true, tenant, expiresAt: new Date(expires_at) });
}

export async function enterWithApiKey(apiKey: string): Promise<void> {
  // An error about a missing permission still proves that the API key is valid.
  await clientOf(apiKey, noteReach)
    .keys.page({ limit: 1 })
    .catch((error: unknown) => {
      if (!(error instanceof EaasError) || error.code !== 'permission_missing') throw error;
    });
  keep(undefined);
  enter(apiKey.trim(), { isDevelopment: false, tenant: undefined, expiresAt: undefined });
}

function enter(apiKey: string, known: Pick<Session, 'isDevelopment' | 'tenant' | 'expiresAt'>): void {
  clearTimeout(endOfSession);
  const { expiresAt } = known;
  session.value = { apiKey, ...known, service: here(), client: clientOf(apiKey, note) };
  if (!expiresAt) return;
  // JavaScript timers cannot wait longer than 2^31 - 1 milliseconds.
  const left = Math.min(expiresAt.getTime() - Date.now(), 2 ** 31 - 1);
  endOfSession = setTimeout(() => leave('expired'), left);
}

export function leave(reason: SignedOut): void {
  clearTimeout(endOfSession);
  keep(undefined);
  void session.value?.client.close();
  session.value = undefined;
  signedOut.value = reason;
}

export function clientOf(
  apiKey: string,
  onEvent: (event: EaasEvent) => void = note,
  more: Partial<ConstructorParameters<typeof EaasClient>[0]> = {},
): EaasClient {
  const patience = { retries: 1, timeouts: { total: 20_000, attempt: 8_000 } };
  return new EaasClient({ ...here(), apiKey, ...patience, onEvent, ...more });
}

/** Returns the service that serves this page. */
function here(): Service {
  return { baseUrl: location.origin, fetch: uncached };
}

/**
 * Fetches public keys without the browser's cache, because the cache could return the old public key for up to five
 * minutes after a rotation.
 */
function uncached(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  return fetch(input, { ...init, cache: 'no-store' });
}

function note(event: EaasEvent): void {
  noteReach(event);
  if (event.type === 'call' && event.code === 'unauthorized') leave('expired');
}

function noteReach(event: EaasEvent): void {
  if (event.type !== 'call' || event.code === 'aborted') return;
  isAway.value = ['network', 'timeout', 'unavailable'].includes(event.code ?? '');
}
