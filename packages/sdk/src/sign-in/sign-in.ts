// What a client with the app's own sign-in needs, loaded on demand: it sends the tokens, and names the signed-in user as the
// subject of calls that name none.
import {
  attempt,
  InputError,
  isSubjectWrapped,
  otherKindOf,
  personName,
  readBase64Url,
} from '@eaas/protocol/internal';
import { readBase64 } from '@eaas/protocol/internal-base64';
import type { Route } from '@eaas/protocol/wire';
import { isOfPerson } from '../caller.ts';
import { credentialFailed, ServiceError } from '../errors.ts';
import type { SignInOptions, TokenClaims } from './options.ts';
import type { Authorize } from '../http/transport.ts';

interface Token {
  readonly jwt: string;
  readonly claims: TokenClaims;
  /** Undefined for a workload. */
  readonly subject: string | undefined;
  /** Tells users apart, also those of a sign-in whose subjects are all equal. */
  readonly user: string;
}

interface Items {
  readonly items?: readonly object[];
  readonly user?: string;
}

const withSubject = /\/(wrap|unwrap|rewrap|encrypt|decrypt)$/;

/** `drop` removes all data keys, when the token of another user arrives. */
export function createSignIn(options: SignInOptions, drop: () => void) {
  const { issuer = '', token, subject: subjectOf = ({ sub }) => sub as string } = options;
  let user: string | undefined;
  let known: Token | undefined;
  let asked = 0;
  let newest = 0;
  /** The pages of a list share their input. It tells whose they are. */
  const owners = new WeakMap<object, string>();

  /**
   * Notes who is signed in, as the call of `token` with this number says. If a later call has found another user before,
   * what this one found has become old.
   */
  function take(number: number, next: string | undefined): void {
    if (number < newest) {
      if (user !== next) throw overtaken();
      return;
    }
    newest = number;
    if (user !== undefined && user !== next) drop();
    user = next;
  }

  const overtaken = () =>
    new ServiceError('unauthorized', 'another user has signed in since this call: call again');

  async function ask(): Promise<Token> {
    const number = ++asked;
    let jwt: unknown;
    try {
      jwt = await token?.();
    } catch (error) {
      throw credentialFailed('token', error);
    }
    if (jwt === undefined || jwt === null || jwt === '') {
      take(number, undefined);
      throw new ServiceError('unauthorized', '`token` returned no token: nobody is signed in');
    }
    // Each call asks, so a token that is known is not read again.
    const held = known?.jwt === jwt ? known : read(jwt);
    take(number, held.user);
    known = held;
    return held;
  }

  function read(jwt: unknown): Token {
    const claims = claimsOf(jwt);
    const subject: unknown = subjectOf?.(claims);
    if (subjectOf && (typeof subject !== 'string' || subject === '')) {
      throw new InputError(
        options.subject
          ? '`subject` must return the subject of the user, a text that is not empty'
          : 'the token has no claim `sub`: pass `subject: (claims) => …`, which returns the subject of the user',
      );
    }
    return {
      jwt: jwt as string,
      claims,
      subject: typeof subject === 'string' ? personName(subject) : undefined,
      user: JSON.stringify([claims['iss'], claims.sub, subject]),
    };
  }

  function claimsOf(jwt: unknown): TokenClaims {
    const text = typeof jwt === 'string' ? jwt : '';
    if (text.startsWith('eaas_sk_')) {
      throw new InputError(
        '`token` must return a token of your sign-in (got an API key): pass it as `apiKey`',
      );
    }
    const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(text) ?? [];
    const claims = jsonIn(payload ?? '');
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return claims as TokenClaims;
    throw new InputError(
      `\`token\` must return a signed JWT with claims (got ${otherKindOf(jwt)}): some sign-ins return one only ` +
        'for an audience that you name',
    );
  }

  /** Says what the client knows of a token that was refused. The claims that it shows name the app, and nobody else. */
  function refusal(error: ServiceError, { claims, jwt }: Token): ServiceError {
    const { exp, iat } = claims as { exp?: number; iat?: number };
    const [header = ''] = jwt.split('.');
    const { kid } = Object(jsonIn(header)) as { kid?: unknown };
    const seconds = Math.floor(Date.now() / 1_000);
    const age =
      typeof exp === 'number' && exp <= seconds
        ? `it expired ${seconds - exp} s ago by this clock, so \`token\` must return a fresh one`
        : `compare with \`eaas issuer show ${issuer}\`, which also has the keys in \`jwks\`: is this \`kid\` among them?`;
    const message =
      `the sign-in's token was refused (\`iss\` ${shown(claims['iss'])}, \`aud\` ${shown(claims['aud'])}, ` +
      `\`kid\` ${shown(kid)}, lifetime ${Number(exp) - Number(iat) || 'unknown'} s): ${age}`;
    return new ServiceError('unauthorized', message, error);
  }

  const authorize: Authorize = async (route, input, send) => {
    const body: Items | undefined = input;
    if (subjectOf && body?.user !== undefined) {
      throw new InputError('the token names the user: leave out `user`');
    }
    const sendWith = (held: Token) =>
      send(
        { authorization: `Bearer ${held.jwt}`, 'eaas-issuer': issuer },
        bodyFor(route, input, held.subject),
      );
    const first = await ask();
    if (input && (owners.get(input) ?? first.user) !== first.user) throw overtaken();
    if (input) owners.set(input, first.user);
    try {
      return await sendWith(first);
    } catch (error) {
      if (!isRefused(error)) throw error;
      const second = await ask();
      // Otherwise the value of one user would be encrypted for the next one.
      if (second.user !== first.user) throw overtaken();
      if (second.jwt === first.jwt) throw refusal(error, first);
      return await sendWith(second).catch((error: unknown) => {
        throw isRefused(error) ? refusal(error, second) : error;
      });
    }
  };

  return {
    authorize,
    /** Asks who is signed in. Returns a function that throws if another user has signed in since. */
    ask: async () => {
      const asked = await ask();
      return () => {
        if (user !== asked.user) throw overtaken();
      };
    },
  };
}

const isRefused = (error: unknown): error is ServiceError =>
  (error as Partial<ServiceError> | null)?.status === 401;

/** Reads a part of a token. */
const jsonIn = (part: string): unknown =>
  attempt((): unknown => JSON.parse(new TextDecoder().decode(readBase64Url(part))));

/** Shows a claim that names an app, or a list of them. */
const shown = (claim: unknown): string =>
  [claim].flat().every((one) => typeof one === 'string' && /^[\w.:/@-]{1,200}$/.test(one))
    ? [claim].flat().join(' ')
    : 'unusual';

/** Adds the subject to a body, or to its items, if they take one and name none. */
function bodyFor(route: Route, input: object | undefined, subject?: string): object | undefined {
  if (!input || subject === undefined || !withSubject.test(route)) return input;
  const { items } = input as Items;
  const fill = (of: object): object => {
    const body = of as { subject?: string; wrapped_key?: string; ciphertext?: string };
    return body.subject === undefined && isForPerson(body) ? { ...body, subject } : body;
  };
  return items ? { ...input, items: items.map(fill) } : fill(input);
}

/** Whether what comes in belongs to a person. A new value does. */
function isForPerson({ wrapped_key, ciphertext }: { wrapped_key?: string; ciphertext?: string }): boolean {
  if (wrapped_key !== undefined) return isSubjectWrapped(readBase64(wrapped_key) ?? new Uint8Array(0));
  return ciphertext === undefined || isOfPerson(ciphertext);
}
