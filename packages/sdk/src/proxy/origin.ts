/** Whose pages may call. */
export interface OriginRules {
  /** The app's own, as browsers spell it; that of the request's address where absent. */
  readonly origin: string | undefined;
  readonly allowedOrigins: readonly string[];
  readonly allowWithoutOrigin: boolean;
}

/**
 * Whether the browser says that a page of the app sent the request. Pages can set neither header. What is no browser
 * can say what it likes: this stops other sites from using a visitor's session, and nothing else.
 */
export function isFromOwnPage(request: Request, rules: OriginRules): boolean {
  const from = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (from === 'null') return false;
  if (from !== null && rules.allowedOrigins.includes(from)) return true;
  // A page under a name that an attacker points at this machine is of the same origin as the request it sends.
  if (from !== null && rules.origin !== undefined && from !== rules.origin) return false;
  if (site !== null) return site === 'same-origin';
  if (from !== null) return from === (rules.origin ?? new URL(request.url).origin);
  return rules.allowWithoutOrigin;
}
