// The tokens of a sign-in: all that is judged but the signature, which whoever makes the service verifies with the key that
// `fittingKey` names. Admission of users (index.ts) asks it at each request, because the settings of an issuer can change
// while a token lives.
import { toHex } from '@eaas/protocol/internal';
import { bytesOf, isObject, subject as subjectText } from '@eaas/protocol/internal-service';
import { canonicalJson } from '@eaas/protocol/audit';
import { fromUtf8, parseUuid, toUtf8 } from '@eaas/protocol';
import { limits } from '@eaas/protocol/wire';
import { sha256 } from '#platform';
import type { View } from '../../ledger/decision.ts';
import type { Arrival } from '../../operation.ts';
import { bearerToken, type Holder, personId, shortId } from '../../rules/authorize.ts';
import type { IssuerRow } from './table.ts';
import { attempt, unauthorized } from '../../rules/refusal.ts';

type Members = Readonly<Record<string, unknown>>;

/** A token as it was presented, with the issuer that the request names: nothing in it is verified. */
export interface PresentedToken {
  readonly issuerId: string;
  readonly text: string;
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

/**
 * Parses what `Eaas-Issuer` and `Authorization` say, if the call names an issuer. Throws Refusal for everything that is no
 * plain JWT of a known algorithm.
 */
export function presentedToken({ header: named, authorization }: Arrival): PresentedToken | undefined {
  const issuer = named('eaas-issuer');
  if (issuer === undefined) return undefined;
  const issuerId = parseUuid(issuer);
  const text = bearerToken(authorization);
  if (issuerId === undefined || text.length > limits.token) throw unauthorized();
  const parts = /^([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(text);
  const header = membersOf(parts?.[1]);
  const claims = membersOf(parts?.[2]);
  if (!header || !claims) throw unauthorized();
  const { alg, typ } = header;
  if (typeof alg !== 'string' || !Object.hasOwn(algorithms, alg) || !types.has(typ)) throw unauthorized();
  if (Object.hasOwn(header, 'crit') || otherClaims.some((claim) => Object.hasOwn(claims, claim))) {
    throw unauthorized();
  }
  return { issuerId, text, header, claims };
}

function membersOf(part = ''): Members | undefined {
  const value = attempt(() => JSON.parse(fromUtf8(bytesOf(part))) as unknown);
  return isObject(value) ? value : undefined;
}

const opened = new WeakMap<IssuerRow, ReturnType<typeof parsed>>();

/** Parses the JSON of an issuer once: it can have 16 KiB. */
export function openIssuer(row: IssuerRow) {
  const issuer = opened.get(row) ?? parsed(row);
  opened.set(row, issuer);
  return issuer;
}

function parsed(row: IssuerRow) {
  const require = Object.entries(JSON.parse(row.require ?? '{}') as Record<string, string[]>);
  return {
    /** Null if the keys are fetched. */
    keys: row.jwks === null ? null : openKeys(row.jwks),
    require: require.map(([claim, accepted]) => [claim, new Set<unknown>(accepted)] as const),
  };
}

/** Parses a key set, as the service stores it. Keys for encryption are left out. */
export function openKeys(jwks: string): readonly IssuerKey[] {
  const { keys } = JSON.parse(jwks) as { readonly keys: readonly Readonly<Record<string, string>>[] };
  return keys.flatMap(({ kid, alg, use = 'sig', ...jwk }) => {
    const thumbprint = toHex(sha256(toUtf8(canonicalJson(jwk))));
    return use === 'sig' ? [{ jwk, kid, alg, thumbprint }] : [];
  });
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
      needed.every(([member, value]) => key.jwk[member] === value),
  );
  const [key] = fitting;
  if (!key || fitting.length > 1) throw unauthorized();
  return key;
}

/**
 * Returns the rights of the user whom a token names. Throws Refusal for a token that the issuer does not accept now. The
 * signature is not judged here.
 */
export function rightsOf(
  row: IssuerRow,
  { claims }: PresentedToken,
  view: Pick<View, 'now' | 'secrets'>,
): Holder {
  const now = view.now / 1_000;
  const { iss, iat, exp, nbf } = claims;
  if (iss !== row.issuer || !isMeant(row, claims)) throw unauthorized();
  if (!isTime(iat) || !isTime(exp) || iat > now + leeway) throw unauthorized();
  if (exp + leeway <= now || exp - iat > row.max_age_seconds) throw unauthorized();
  if (nbf !== undefined && (!isTime(nbf) || nbf > now + leeway)) throw unauthorized();
  const { kind, permissions, key_ids, allowed_origins, revoked_at } = row;
  const subject = subjectOf(row, claims);
  return {
    permissions: permissions.filter((one) => one !== 'audit.own'),
    key_ids,
    allowed_origins,
    revoked_at,
    expires_at: Math.min(row.expires_at ?? Infinity, Math.floor((exp + leeway) * 1_000)),
    signIn: {
      kind,
      subject,
      id: shortId(personId(view, 'users', subject)),
      anySubject: row.any_subject,
      ownAudit: permissions.includes('audit.own'),
      meetsRequired: openIssuer(row).require.every(([claim, accepted]) => has(claims, claim, accepted)),
    },
  };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function isMeant({ audience, authorized_parties }: IssuerRow, claims: Members): boolean {
  const { aud, azp } = claims;
  if (!Array.isArray(aud)) return aud === audience;
  if (!aud.includes(audience) || !aud.every((one) => typeof one === 'string')) return false;
  return aud.length === 1 || (typeof azp === 'string' && authorized_parties?.includes(azp) === true);
}

function subjectOf({ subject_claim, subject_prefix }: IssuerRow, claims: Members): string {
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
