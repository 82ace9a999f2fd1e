import { EaasClient, type EaasEvent, EaasError, ServiceError } from '@eaas/sdk';
import { signal } from '@preact/signals';

/** The session must stay in memory, because browser storage would keep the API key after the visit. */
export interface Session {
  readonly apiKey: string;
  readonly tenant: string | undefined;
  readonly keyId: string | undefined;
  readonly indexKey: string | undefined;
  readonly expiresAt: Date | undefined;
  readonly client: EaasClient;
}

export type SignedOut = 'new' | 'code_refused' | 'code_unanswered' | 'expired' | 'left';

export const session = signal<Session | undefined>(undefined);
export const signedOut = signal<SignedOut>('new');
export const isEntering = signal(false);
export const isAway = signal(false);

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
  readonly key_id: string | null;
  readonly index_key: string | null;
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
    if (response.status !== 201)
      throw new ServiceError(
        'unauthorized',
        'the sign-in code is wrong, was already used or has expired: get a new sign-in code',
        response,
      );
    const { api_key, expires_at, key_id, index_key, tenant } = (await response.json()) as Answer;
    enter(api_key, {
      tenant,
      keyId: key_id ?? undefined,
      indexKey: index_key ?? undefined,
      expiresAt: new Date(expires_at),
    });
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.status !== undefined && error.status < 500;
    if (!isRefused) waitingCode = code;
    signedOut.value = isRefused ? 'code_refused' : 'code_unanswered';
  } finally {
    isEntering.value = false;
  }
}

export async function enterWithApiKey(apiKey: string): Promise<void> {
  isEntering.value = true;
  try {
    // An error about a missing permission still proves that the API key is valid.
    await clientOf(apiKey, noteReach)
      .keys.page({ limit: 1 })
      .catch((error: unknown) => {
        if (!(error instanceof EaasError) || error.code !== 'permission_missing') throw error;
      });
    enter(apiKey.trim(), {});
  } finally {
    isEntering.value = false;
  }
}

function enter(
  apiKey: string,
  known: Partial<Pick<Session, 'tenant' | 'keyId' | 'indexKey' | 'expiresAt'>>,
): void {
  clearTimeout(endOfSession);
  const { tenant, keyId, indexKey, expiresAt } = known;
  session.value = { apiKey, tenant, keyId, indexKey, expiresAt, client: clientOf(apiKey, note) };
  if (!expiresAt) return;
  // JavaScript timers cannot wait longer than 2^31 - 1 milliseconds.
  const left = Math.min(expiresAt.getTime() - Date.now(), 2 ** 31 - 1);
  endOfSession = setTimeout(() => leave('expired'), left);
}

export function leave(reason: SignedOut): void {
  clearTimeout(endOfSession);
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
  return new EaasClient({
    baseUrl: location.origin,
    apiKey,
    ...patience,
    onEvent,
    fetch: uncached,
    ...more,
  });
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
