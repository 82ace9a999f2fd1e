// The calls that manage issuers, and what is checked of their keys and claims before the service believes a token.
import * as z from 'zod/mini';
import { hasControlCharacter, utf8Length } from '../text.ts';
import { list, managedList, managing, origin } from './api-keys.ts';
import type { Endpoints, Group } from './endpoint.ts';
import { limits } from './limits.ts';
import { issuerPermissions } from './permissions.ts';
import { count, integer, name, page, reasoned, sized, text, time, timestamp, uuid } from './primitives.ts';
import { bytesOf, isPrivate, modulusFault } from './rsa-public-key.ts';
import { samples } from './samples.ts';

const isPlain = (text: string): boolean => text.isWellFormed() && !hasControlCharacter(text);

const claimText = text(
  (text) => text !== '' && utf8Length(text) <= limits.issuerText && isPlain(text),
  `must have 1 to ${limits.issuerText} bytes of UTF-8, without control characters`,
);

const prefix = text(
  (text) => utf8Length(text) < limits.subject && isPlain(text),
  `must have fewer than ${limits.subject} bytes of UTF-8, without control characters`,
);

/** Claims that users can choose, so that one user could take the name of another. */
const chosenClaims: ReadonlySet<string> = new Set(['email', 'preferred_username', 'name', 'nickname']);

const subjectClaim = claimText.check(
  z.refine(
    (claim) => claim !== '__proto__' && !chosenClaims.has(claim),
    'is `__proto__`, or a claim that users can choose: take one like `sub`',
  ),
);

/** The members of a JWK that are kept. */
export const keyMembers = ['kty', 'n', 'e', 'crv', 'x', 'y', 'kid', 'alg', 'use'] as const;

/** A public key that can verify tokens, as a JWK (RFC 7517). */
const publicKey = z
  .looseObject({ kty: z.string() })
  .check(reasoned((jwk) => keyFault(jwk)))
  .register(z.globalRegistry, { type: 'object' });

/** A JSON Web Key (RFC 7517) that is not checked yet. */
export type Jwk = Readonly<Record<string, unknown>>;

/** Whether a JWK is a private or a symmetric key. */
export const isSecretKey = (jwk: Jwk): boolean => jwk['kty'] === 'oct' || isPrivate(jwk);

/** Why a JWK cannot verify tokens, or undefined if it can. */
export function keyFault(jwk: Jwk): string | undefined {
  const { kty, n, e } = jwk;
  if (isSecretKey(jwk)) return 'is a private or symmetric key: send public keys only';
  const isText = (member: string): boolean => {
    const value = jwk[member];
    return (
      value === undefined || (typeof value === 'string' && value.length <= 2_048 && value.isWellFormed())
    );
  };
  const unfit = keyMembers.find((member) => !isText(member));
  if (unfit) return `has a member \`${unfit}\` that is not a text of a public key`;
  if (kty === 'RSA') {
    // A signature under a large exponent would cost the service fifty times as much.
    if (e !== 'Aw' && e !== 'AQAB') return 'must have the exponent 3 or 65537 (`e` must be Aw or AQAB)';
    return modulusFault(String(n), 2_048, 4_096);
  }
  if (kty !== 'EC' && kty !== 'OKP') return 'must be an RSA, EC or OKP key (`kty`)';
  const coordinates = kty === 'EC' ? ['x', 'y'] : ['x'];
  const missing = ['crv', ...coordinates].find((member) => !jwk[member]);
  if (missing) return `lacks \`${missing}\``;
  const short = coordinates.find((member) => bytesOf(String(jwk[member])).length < 32);
  const isUsed = jwk['crv'] === 'P-256' || jwk['crv'] === 'Ed25519';
  return isUsed && short ? `has a coordinate \`${short}\` that is not 32 bytes in base64url` : undefined;
}

const keySetUri = text(
  isKeySetUri,
  `must be an https URL of at most ${limits.keySetUri} bytes of ASCII, without a user, a password or a fragment`,
);

function isKeySetUri(text: string): boolean {
  if (text.length > limits.keySetUri || !/^https?:\/\/[!-~]+$/.test(text)) return false;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && !url.username && !url.password && !text.includes('#');
}

/** A record would leave out `__proto__`, and so require less than was sent. */
const named = z.custom<Record<string, string[]>>(
  (claims) => !Object.hasOwn(Object(claims) as object, '__proto__'),
  'has the claim `__proto__`: take another name',
);

const accepted = z
  .pipe(
    named,
    z.record(claimText, list(claimText, limits.requiredValues)).check(
      z.refine((claims) => {
        const { length } = Object.keys(claims);
        return length >= 1 && length <= limits.requiredClaims;
      }, `must have 1 to ${limits.requiredClaims} claims`),
      reasoned((claims) => {
        const chosen = Object.keys(claims).find((claim) => chosenClaims.has(claim));
        return chosen && `has the claim \`${chosen}\`, which users can choose`;
      }),
    ),
  )
  .register(z.globalRegistry, {
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
  });

const needed = z.strictObject({
  name,
  permissions: list(z.enum(issuerPermissions), issuerPermissions.length),
  key_ids: list(z.string(), limits.keyIds),
});

const others = z.partial(
  z.strictObject({
    jwks: z.strictObject({ keys: z.array(publicKey).check(sized(limits.issuerKeys)) }),
    jwks_uri: keySetUri,
    authorized_parties: z.nullable(list(claimText, 16)),
    allowed_origins: z.nullable(list(origin, limits.allowedOrigins)),
    require: z.nullable(accepted),
    max_age_seconds: integer(60, limits.tokenAge),
    expires_at: z.nullable(timestamp),
  }),
);

const kind = z.enum(['people', 'workload']);

const identity = {
  kind: z.optional(kind),
  issuer: claimText,
  audience: claimText,
  subject_claim: z.optional(subjectClaim),
  subject_prefix: z.optional(prefix),
  any_subject: z.optional(z.boolean()),
};

const issuerRecord = z.object({
  issuer_id: uuid,
  name: z.string(),
  kind,
  issuer: z.string(),
  audience: z.string(),
  authorized_parties: z.nullable(z.array(z.string())),
  jwks: z.nullable(z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })),
  jwks_uri: z.nullable(z.string()),
  permissions: z.array(z.enum(issuerPermissions)),
  key_ids: z.array(uuid),
  allowed_origins: z.nullable(z.array(z.string())),
  subject_claim: z.string(),
  subject_prefix: z.string(),
  any_subject: z.boolean(),
  require: z.nullable(z.record(z.string(), z.unknown())),
  max_age_seconds: count,
  expires_at: z.nullable(time),
  created_at: time,
  created_by: z.string(),
  revoked_at: z.nullable(time),
});

export const issuers = {
  'POST /v1/issuers': {
    ...managing('Accept the tokens of a sign-in', issuerRecord),
    body: z.extend(needed, { ...others.shape, ...identity }),
    status: 201,
    creates: 'issuer_id',
  },
  'GET /v1/issuers': managedList(
    'List issuers',
    z.object({ issuers: z.array(z.omit(issuerRecord, { jwks: true, require: true })), ...page }),
  ),
  'GET /v1/issuers/:issuer_id': { ...managing('Show an issuer', issuerRecord), snapshot: true },
  'PATCH /v1/issuers/:issuer_id': {
    ...managing('Change an issuer', issuerRecord),
    body: z.extend(z.partial(needed), others.shape),
  },
  'DELETE /v1/issuers/:issuer_id': managing('Revoke an issuer', issuerRecord),
} satisfies Endpoints;

/** What the reference says about these calls. */
export const aboutIssuers = (): Group<typeof issuers> => {
  const { apiKeyId, issuerId: issuer_id, keyId, onePage } = samples;
  const jwks = {
    keys: [{ kty: 'OKP', crv: 'Ed25519', kid: '1', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
  };
  const made = {
    name: 'patients',
    issuer: 'https://sign-in.example',
    audience: 'https://app.example',
    jwks,
    permissions: ['encrypt' as const, 'decrypt' as const],
    key_ids: [keyId],
    allowed_origins: ['https://app.example'],
  };
  const sample = {
    issuer_id,
    ...made,
    kind: 'people' as const,
    jwks_uri: null,
    authorized_parties: null,
    subject_claim: 'sub',
    subject_prefix: '',
    any_subject: false,
    require: null,
    max_age_seconds: 3600,
    expires_at: null,
    created_at: '2026-08-11T09:41:12.083Z',
    created_by: apiKeyId,
    revoked_at: null,
  };
  const { jwks: _, require: __, ...listed } = sample;
  return {
    title: 'Issuers',
    about: 'Whose tokens the service accepts: the sign-in of your app.',
    fields: {
      any_subject: 'Whether the users may open the data of every subject, as staff.',
      audience: 'What the `aud` of a token must contain.',
      authorized_parties: 'Which `azp` is accepted if a token has several audiences.',
      issuer: 'The `iss` of the tokens.',
      issuer_id: 'The issuer’s id, a UUID, which requests send as `Eaas-Issuer`.',
      issuers: 'The issuers of this page.',
      jwks: 'The public keys of the sign-in: a JWK set of at most 16 keys. Send this or `jwks_uri`.',
      jwks_uri:
        'Where the service fetches the public keys of the sign-in. The operator allows its host in `EAAS_ISSUER_HOSTS`.',
      kind: 'Whose tokens they are: of `people`, the default, or of a `workload`.',
      max_age_seconds: 'The longest accepted time between `iat` and `exp`; 3,600 by default.',
      require: 'Claims that a token must have, each with its accepted values. Null if there are none.',
      subject_claim: 'The claim that names the person; `sub` by default.',
      subject_prefix: 'What the subject of a user has before the claim; empty by default.',
    },
    calls: {
      'POST /v1/issuers': {
        id: 'createIssuer',
        about:
          'Names a sign-in (OpenID Connect, or any signed JWT) by its `iss`, its audience and its public ' +
          'keys, and says what its users may do. The keys are `jwks`, or the service fetches them from ' +
          '`jwks_uri`, if its operator allows the host. Its permissions, keys, origins and expiry must be ' +
          'within those of the caller, else 403; `audit.own` is within `audit.read`. A user’s subject is ' +
          '`subject_prefix` and the claim `subject_claim`. Issuers without `any_subject` that differ in ' +
          '`issuer` or `subject_claim` need prefixes of which none begins with another, so that two ' +
          'people never share a subject (409). `any_subject`, for staff, needs `require`, and so does the ' +
          'kind `workload`: a service with the identity that its platform gives it, whose calls are like ' +
          'those of an API key, and never from a browser. At most 32 issuers are not revoked (409).',
        problems: ['not_found', 'conflict'],
        input: made,
        output: sample,
      },
      'GET /v1/issuers': {
        id: 'listIssuers',
        about: 'Lists issuers, newest first, including revoked ones, without their `jwks` and `require`.',
        input: { limit: 50 },
        output: { issuers: [listed], ...onePage },
      },
      'GET /v1/issuers/:issuer_id': {
        id: 'getIssuer',
        about: 'Returns an issuer.',
        output: sample,
      },
      'PATCH /v1/issuers/:issuer_id': {
        id: 'updateIssuer',
        about:
          'Changes the fields that are sent. A change that only removes rights is always allowed. If a ' +
          'change adds any right, or sets other `jwks`, `jwks_uri`, `require`, `authorized_parties` or ' +
          '`max_age_seconds`, all resulting rights must be within those of the caller, else 403. `jwks` ' +
          'replaces `jwks_uri`, and the reverse. `issuer`, `audience`, `kind`, `subject_claim`, ' +
          '`subject_prefix` and `any_subject` never change. A revoked issuer cannot be changed (409).',
        problems: ['conflict'],
        input: { max_age_seconds: 900 },
        output: { ...sample, max_age_seconds: 900 },
      },
      'DELETE /v1/issuers/:issuer_id': {
        id: 'revokeIssuer',
        about:
          'Revokes an issuer immediately and permanently. A second call responds with 200 and does nothing.',
        output: { ...sample, revoked_at: '2026-11-20T09:12:45.310Z' },
      },
    },
  };
};
