// The tokens of a sign-in: what can be judged without a cryptographic library. A service verifies the signature itself,
// with the key that `fittingKey` names, and judges everything else again at each request.
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../bytes.ts';
import { canonicalJson } from '../canonical-json.ts';
import { InputError } from '../errors.ts';
import { finish } from '../steps.ts';
import { toUtf8 } from '../text.ts';
import { readJson } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import type { Permission } from '../wire/permissions.ts';
import { subject as subjectText } from '../wire/primitives.ts';
import { bytesOf } from '../wire/rsa-public-key.ts';
import type { Holder } from './authorize.ts';
import type { IssuerFields } from './issuer-rules.ts';
import { unauthorized } from './refusal.ts';

type Members = Readonly<Record<string, unknown>>;

/** A token as it was presented: nothing in it is verified. */
export interface PresentedToken {
  readonly header: Members;
  readonly claims: Members;
}

/** A key of an issuer. */
export interface IssuerKey {
  /** The members that make the key, without its name. */
  readonly jwk: Readonly<Record<string, string>>;
  readonly thumbprint: string;
  readonly kid: string | undefined;
  readonly alg: string | undefined;
  readonly isForSignatures: boolean;
}

/** An issuer whose JSON was parsed. Parse it once: it can have 16 KiB. */
export interface OpenIssuer {
  readonly row: IssuerFields;
  /** Null if the keys are fetched. */
  readonly keys: readonly IssuerKey[] | null;
  readonly require: readonly (readonly [claim: string, accepted: ReadonlySet<unknown>])[];
}

const algorithms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  RS256: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
};

const types: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'at+jwt']);
/** Tokens that are bound to a key of the client, and statements about events, are no bearer tokens. */
const otherClaims = ['cnf', 'events'];
const leeway = 60;

/** Parses a token. Throws Refusal for everything that is no plain JWT of a known algorithm. */
export function readToken(text: string): PresentedToken {
  if (text.length > limits.token) throw unauthorized();
  const parts = /^([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(text);
  const [header, claims] = [membersOf(parts?.[1]), membersOf(parts?.[2])];
  if (!header || !claims || !Object.hasOwn(algorithms, String(header['alg']))) throw unauthorized();
  if (!types.has(header['typ']) || Object.hasOwn(header, 'crit')) throw unauthorized();
  if (typeof header['alg'] !== 'string') throw unauthorized();
  if (otherClaims.some((claim) => Object.hasOwn(claims, claim))) throw unauthorized();
  return { header, claims };
}

function membersOf(part: string | undefined): Members | undefined {
  const bytes = part === undefined ? new Uint8Array() : bytesOf(part);
  if (bytes.length === 0) return undefined;
  try {
    const value = finish(readJson(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** Parses the JSON of an issuer. */
export function openIssuer(row: IssuerFields): OpenIssuer {
  const require = Object.entries(JSON.parse(row.require ?? '{}') as Record<string, string[]>);
  return {
    row,
    keys: row.jwks === null ? null : openKeys(row.jwks),
    require: require.map(([claim, accepted]) => [claim, new Set<unknown>(accepted)]),
  };
}

/** Parses a key set, as the service stores it. */
export function openKeys(jwks: string): readonly IssuerKey[] {
  const { keys } = JSON.parse(jwks) as { readonly keys: readonly Readonly<Record<string, string>>[] };
  return keys.map(({ kid, alg, use, ...jwk }) => ({
    jwk,
    kid,
    alg,
    isForSignatures: use === undefined || use === 'sig',
    thumbprint: toHex(sha256(toUtf8(canonicalJson(jwk)))),
  }));
}

/** Whether a token names a key that is none of these, so that the sign-in has perhaps changed its keys. */
export function namesUnknownKey(keys: readonly IssuerKey[], { header: { kid } }: PresentedToken): boolean {
  return kid !== undefined && !keys.some((key) => key.kid === kid);
}

/** Returns the key that must have signed a token. Throws Refusal unless exactly one key fits. */
export function fittingKey(keys: readonly IssuerKey[], { header }: PresentedToken): IssuerKey {
  const { alg, kid } = header;
  const needed = Object.entries(algorithms[String(alg)] ?? {});
  const fitting = keys.filter(
    (key) =>
      (kid === undefined || key.kid === kid) &&
      (key.alg === undefined || key.alg === alg) &&
      key.isForSignatures &&
      needed.every(([member, value]) => key.jwk[member] === value),
  );
  const [key] = fitting;
  if (!key || fitting.length > 1) throw unauthorized();
  return key;
}

/**
 * Returns the rights of the user whom a token names, at a time of the service. Throws Refusal for a token that the issuer
 * does not accept now. The signature is not judged here.
 */
export function rightsOf({ row, require }: OpenIssuer, { claims }: PresentedToken, time: number): Holder {
  const now = time / 1_000;
  const { iss, iat, exp, nbf } = claims;
  if (iss !== row.issuer || !isMeant(row, claims)) throw unauthorized();
  if (!isTime(iat) || !isTime(exp) || iat > now + leeway) throw unauthorized();
  if (exp + leeway <= now || exp - iat > row.max_age_seconds) throw unauthorized();
  if (nbf !== undefined && (!isTime(nbf) || nbf > now + leeway)) throw unauthorized();
  const { permissions, key_ids, allowed_origins, revoked_at } = row;
  const own: readonly Permission[] = permissions.filter((one) => one !== 'audit.own');
  return {
    permissions: own,
    key_ids,
    allowed_origins,
    revoked_at,
    expires_at: Math.min(row.expires_at ?? Infinity, Math.floor((exp + leeway) * 1_000)),
    signIn: {
      subject: subjectOf(row, claims),
      anySubject: row.any_subject,
      ownAudit: permissions.includes('audit.own'),
      meetsRequired: require.every(([claim, accepted]) => has(claims, claim, accepted)),
    },
  };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function isMeant({ audience, authorized_parties }: IssuerFields, claims: Members): boolean {
  const { aud, azp } = claims;
  if (!Array.isArray(aud)) return aud === audience;
  if (!aud.includes(audience) || !aud.every((one) => typeof one === 'string')) return false;
  return aud.length === 1 || (typeof azp === 'string' && authorized_parties?.includes(azp) === true);
}

function subjectOf({ subject_claim, subject_prefix }: IssuerFields, claims: Members): string {
  const claim = Object.hasOwn(claims, subject_claim) ? claims[subject_claim] : undefined;
  if (typeof claim !== 'string' || claim === '') throw unauthorized();
  const subject = subjectText.safeParse(subject_prefix + claim);
  if (!subject.success) throw unauthorized();
  return subject.data;
}

function has(claims: Members, name: string, accepted: ReadonlySet<unknown>): boolean {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return Array.isArray(value) ? value.some((one) => accepted.has(one)) : accepted.has(value);
}
