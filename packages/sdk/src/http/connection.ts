// Checks the address and the headers of requests, so that no key travels over plain http to another machine by mistake.
import { attempt, InputError, otherKindOf } from '@eaas/protocol/internal';

/** Sends a request. Not `typeof fetch`, which has more members in Bun, and functions of apps lack them. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export function baseUrlOf(baseUrl?: string | URL, insecureHttp?: boolean, name = 'baseUrl'): string {
  const given = baseUrl instanceof URL ? baseUrl.href : baseUrl;
  const url = typeof given === 'string' ? parseUrl(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    const hint = typeof given === 'string' && given ? '' : ': is EAAS_BASE_URL set?';
    throw new InputError(
      `\`${name}\` must be the URL of the service, such as https://eaas.example or http://localhost:8080, without a user ` +
        `name, password, query or fragment (got ${otherKindOf(given)})${hint}`,
    );
  }
  requireSecureUrl(url, name, insecureHttp);
  return url.href.replace(/(\/v1)?\/*$/, '');
}

/** This function replaces `URL.canParse`, which some platforms lack. */
export const parseUrl = (text: string, base?: string): URL | undefined => attempt(() => new URL(text, base));

export function requireSecureUrl({ protocol, hostname }: URL, option: string, insecureHttp?: boolean): void {
  // A name below `localhost` can be another machine: Node asks the resolver for it.
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || isLoopback || insecureHttp === true) return;
  throw new InputError(
    `\`${option}\` must use https: for a service on another machine, because http: does not encrypt keys. ` +
      `On a trusted network, pass \`insecureHttp: true\``,
  );
}

/**
 * Throws InputError for an invalid header. The error of `new Headers` is not shown, because this error might contain
 * the value of a secret header.
 */
export function httpHeaders(headers: RequestInit['headers']): Headers {
  const accepted = attempt(() => new Headers(headers));
  if (!accepted) throw new InputError('`headers` must be names and values that `fetch` accepts');
  return accepted;
}
