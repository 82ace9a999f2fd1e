// The options of a client that sends the tokens of the app's own sign-in.
import { InputError, parseUuid, callback, type OptionRules } from '@eaas/protocol/internal';
import { load } from '../errors.ts';
import type * as OwnSignIn from './sign-in.ts';

/** What a token says. The client reads the claims and never verifies them: the service does. */
export interface TokenClaims {
  readonly sub?: string;
  readonly [claim: string]: unknown;
}

/** Options of a client that sends the tokens of your app's own sign-in. */
export interface SignInOptions {
  /** The id of the issuer, which `eaas issuer add` printed. */
  readonly issuer?: string | undefined;
  /**
   * Returns a token (JWT) of the signed-in user. The client calls it at each call and before each request, and once more
   * when the service refuses the token, so return the one that your sign-in keeps. Synchronous calls cannot ask: they act
   * for the user of the last other call.
   */
  readonly token?: (() => string | null | undefined | Promise<string | null | undefined>) | undefined;
  /**
   * Returns the subject of the signed-in user, which is that of each call without the option `subject`. Defaults to the
   * claim `sub`. If the issuer has a prefix, pass `({ sub }) => prefix + sub`. Null says that the token names a workload,
   * which is nobody: calls name subjects and users as with an API key.
   */
  readonly subject?: ((claims: TokenClaims) => string) | null | undefined;
}

export const signInOptions: OptionRules<SignInOptions> = {
  issuer: (id) => (typeof id === 'string' && !!parseUuid(id)) || 'the UUID that `eaas issuer add` printed',
  token: 'callback',
  subject: (value, name) => value === null || callback(value, name),
};

/** Whether the options are those of a sign-in. Throws InputError for one that lacks an option, or has one of `others`. */
export function isSignIn(options: SignInOptions & { requireUser?: unknown }, ...others: string[]): boolean {
  const { issuer, token, subject } = options;
  if (!issuer && !token && subject === undefined) return false;
  if (!issuer || !token) {
    throw new InputError(
      `a sign-in needs \`issuer\` and \`token\` (got no \`${issuer ? 'token' : 'issuer'}\`)`,
    );
  }
  for (const name of subject === null ? others : ['requireUser', ...others]) {
    if ((options as Record<string, unknown>)[name] !== undefined) {
      throw new InputError(`pass either \`token\` or \`${name}\``);
    }
  }
  return true;
}

/** Loads what only clients with a sign-in need. */
export const loadSignIn = (): Promise<typeof OwnSignIn> => load('the sign-in', import('./sign-in.ts'));
