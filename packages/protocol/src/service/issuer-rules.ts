// Issuers: the sign-ins whose tokens the service accepts. Like an API key, an issuer grants only what its creator has.
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../bytes.ts';
import { canonicalJson } from '../canonical-json.ts';
import { InputError } from '../errors.ts';
import { finish } from '../steps.ts';
import { toUtf8, utf8Length } from '../text.ts';
import { parseUuid } from '../uuid.ts';
import type { Input, Output } from '../wire/endpoints.ts';
import { isSecretKey, keyFault, keyMembers } from '../wire/issuers.ts';
import { readJson } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import type { IssuerPermission, Permission } from '../wire/permissions.ts';
import { formatTimestamp, parseTimestamp } from '../wire/timestamp.ts';
import { excessOf, requireFuture, requireKnown, requireWithin } from './api-key-rules.ts';
import type { Reach } from './authorize.ts';
import { type Changed, changesOf, type Moment } from './changes.ts';
import { defined, type Draft, tenantDraft } from './draft.ts';
import { timeOrNull } from './records.ts';
import { badRequest, Refusal } from './refusal.ts';

/** What the service stores of an issuer. `jwks` and `require` are canonical JSON. */
export interface IssuerFields {
  readonly issuer_id: string;
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly authorized_parties: readonly string[] | null;
  /** Null if the keys are fetched from `jwks_uri`. */
  readonly jwks: string | null;
  readonly jwks_uri: string | null;
  readonly permissions: readonly IssuerPermission[];
  readonly key_ids: readonly string[];
  readonly allowed_origins: readonly string[] | null;
  readonly subject_claim: string;
  readonly subject_prefix: string;
  readonly any_subject: boolean;
  readonly require: string | null;
  readonly max_age_seconds: number;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly revoked_at: number | null;
  /** The id of the audit entry that records the last change of the issuer. */
  readonly rev: number;
}

/** What a new issuer is compared with: one that is not revoked. */
export type LiveIssuer = Pick<IssuerFields, 'issuer' | 'subject_claim' | 'subject_prefix' | 'any_subject'>;

interface Known {
  /** The rights of the caller. Null for the operator, who has all rights. */
  readonly giver: Reach | null;
  readonly keyIds: ReadonlySet<string>;
  /** Why the service does not fetch keys from this URI, or undefined if it does. */
  readonly keyHostFault: (uri: string) => string | undefined;
}

type Fields = Omit<Input<'PATCH /v1/issuers/:issuer_id'>, 'issuer_id'>;

/** Decides about a new issuer: its row and its audit entry. `others` are those of the tenant. Throws Refusal. */
export function newIssuer(
  input: Input<'POST /v1/issuers'>,
  { time, entryId }: Moment,
  known: Known & {
    readonly issuerId: string;
    readonly createdBy: string;
    readonly others: readonly LiveIssuer[];
  },
): { readonly row: IssuerFields; readonly draft: Draft } {
  const { name, issuer, audience, permissions } = input;
  const { subject_claim = 'sub', subject_prefix = '', any_subject = false, max_age_seconds = 3_600 } = input;
  const identity = { issuer, audience, subject_claim, subject_prefix, any_subject };
  const unlimited = {
    jwks: null,
    jwks_uri: null,
    authorized_parties: null,
    allowed_origins: null,
    require: null,
    expires_at: null,
  };
  const { key_ids = [], ...set } = storedFields(input);
  const { issuerId: issuer_id, createdBy: created_by, giver, keyIds } = known;
  const created = { created_at: time, created_by, revoked_at: null, rev: entryId };
  const made = { ...unlimited, max_age_seconds, ...set, name, permissions, key_ids };
  const row: IssuerFields = { issuer_id, ...identity, ...made, ...created };
  requireConsistent(row);
  requireKeys(row, known);
  requireFuture(row.expires_at, time);
  requireWithin(giver, reachOf(row));
  requireKnown(row.key_ids, keyIds);
  requireRoom(row, known.others);
  const { created_at: _, created_by: __, revoked_at: ___, rev: ____, ...fields } = row;
  const metadata = { ...fields, ...shownTrust(row), expires_at: timeOrNull(row.expires_at) };
  return { row, draft: tenantDraft('issuer.create', metadata) };
}

/** Decides about a change of an issuer. Throws Refusal. */
export function patchedIssuer<Row extends IssuerFields>(
  before: Row,
  input: Fields,
  at: Moment,
  known: Known,
): Changed<Row> {
  const { giver, keyIds } = known;
  if (before.revoked_at !== null) {
    throw new Refusal('conflict', 'The issuer is revoked and cannot be changed: create another issuer.');
  }
  const set = storedFields(input);
  const row = { ...before, ...set, rev: at.entryId };
  requireConsistent(row);
  if (set.jwks_uri) requireKeys(row, known);
  if (set.expires_at !== undefined && set.expires_at !== before.expires_at)
    requireFuture(set.expires_at, at.time);
  if (set.key_ids) requireKnown(set.key_ids, keyIds);
  const trust = changesOf(shownTrust(before), shownTrust(row));
  if (trust || excessOf(reachOf(row), reachOf(before))) requireWithin(giver, reachOf(row));
  const { jwks: _, jwks_uri: __, require: ___, authorized_parties: ____, ...plain } = set;
  const changes = { ...changesOf(before, plain), ...trust };
  if (Object.keys(changes).length === 0) return { row: before, draft: null };
  const metadata = { issuer_id: row.issuer_id, changes, previous_change: before.rev };
  return { row, draft: tenantDraft('issuer.update', metadata) };
}

/** Decides about the end of an issuer. */
export function revokedIssuer<Row extends IssuerFields>(before: Row, at: Moment): Changed<Row> {
  if (before.revoked_at !== null) return { row: before, draft: null };
  const metadata = { issuer_id: before.issuer_id, previous_change: before.rev };
  return {
    row: { ...before, revoked_at: at.time, rev: at.entryId },
    draft: tenantDraft('issuer.revoke', metadata),
  };
}

type IssuerRecord = Output<'GET /v1/issuers/:issuer_id'>;

/** Returns an issuer as the API shows it. */
export const issuerRecord = (row: IssuerFields): IssuerRecord => ({
  ...listedIssuer(row),
  jwks: row.jwks === null ? null : (JSON.parse(row.jwks) as IssuerRecord['jwks']),
  require: row.require === null ? null : (JSON.parse(row.require) as IssuerRecord['require']),
});

/** Returns an issuer as a list shows it. */
export function listedIssuer(row: IssuerFields): Output<'GET /v1/issuers'>['issuers'][number] {
  return {
    issuer_id: row.issuer_id,
    name: row.name,
    issuer: row.issuer,
    audience: row.audience,
    authorized_parties: row.authorized_parties && [...row.authorized_parties],
    jwks_uri: row.jwks_uri,
    permissions: [...row.permissions],
    key_ids: [...row.key_ids],
    allowed_origins: row.allowed_origins && [...row.allowed_origins],
    subject_claim: row.subject_claim,
    subject_prefix: row.subject_prefix,
    any_subject: row.any_subject,
    max_age_seconds: row.max_age_seconds,
    expires_at: timeOrNull(row.expires_at),
    created_at: formatTimestamp(row.created_at),
    created_by: row.created_by,
    revoked_at: timeOrNull(row.revoked_at),
  };
}

function storedFields({ jwks, jwks_uri, require, key_ids, expires_at, ...fields }: Fields) {
  if (jwks && jwks_uri !== undefined) throw badRequest('send either `jwks` or `jwks_uri`, not both');
  return defined({
    name: fields.name,
    permissions: fields.permissions,
    authorized_parties: fields.authorized_parties,
    allowed_origins: fields.allowed_origins,
    max_age_seconds: fields.max_age_seconds,
    jwks: jwks ? canonicalJson({ keys: jwks.keys.map(publicMembers) }) : jwks_uri && null,
    jwks_uri: jwks ? null : jwks_uri,
    require: require && canonicalJson(require),
    key_ids: key_ids?.map((text) => parseUuid(text) ?? text),
    expires_at: typeof expires_at === 'string' ? (parseTimestamp(expires_at) ?? null) : expires_at,
  });
}

const publicMembers = (jwk: object): object =>
  Object.fromEntries(Object.entries(jwk).filter(([member]) => keyMembers.some((kept) => kept === member)));

/**
 * Returns the public keys of a key set that a host sends, as canonical JSON. Keys of other kinds, which providers may add, are
 * left out. Throws InputError for anything else, and for a set with a private or symmetric key: whoever read it could forge
 * tokens.
 */
export function publicKeysIn(bytes: Uint8Array): string {
  const set = finish(readJson(bytes));
  const keys = isRecord(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys)) throw new InputError('no JSON Web Key Set: a JSON object whose `keys` is a list');
  const records = keys.filter(isRecord);
  if (records.some(isSecretKey)) throw new InputError('a key set with a private or symmetric key');
  const usable = records.filter((jwk) => keyFault(jwk) === undefined);
  if (usable.length === 0) throw new InputError('a key set without a key that can verify tokens');
  return canonicalJson({ keys: usable.map(publicMembers) });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The rights of an issuer as those of an API key. `audit.own` lies within `audit.read`. */
function reachOf({ permissions, key_ids, allowed_origins, expires_at }: IssuerFields): Reach {
  const asApiKey = permissions.map((one): Permission => (one === 'audit.own' ? 'audit.read' : one));
  return { permissions: asApiKey, key_ids, allowed_origins, expires_at };
}

const shownBytes = 256;

type Trust = Pick<IssuerFields, 'jwks' | 'jwks_uri' | 'require' | 'authorized_parties' | 'max_age_seconds'>;

/** What decides whose tokens are accepted, as the audit log shows it: short values, and the hash of longer ones. */
export function shownTrust({ jwks, jwks_uri, require, authorized_parties, max_age_seconds }: Trust) {
  const parties = authorized_parties && canonicalJson(authorized_parties);
  return {
    jwks: shown(jwks),
    jwks_uri: shown(jwks_uri),
    require: shown(require),
    authorized_parties: shown(parties),
    max_age_seconds,
  };
}

function shown(json: string | null): string | null {
  return json === null || json.length <= shownBytes ? json : `sha256:${toHex(sha256(toUtf8(json)))}`;
}

function requireConsistent({ any_subject, jwks, require }: IssuerFields): void {
  const bytes = utf8Length(jwks ?? '') + utf8Length(require ?? '');
  if (bytes > limits.issuerTrust)
    throw badRequest(`\`jwks\` and \`require\` have more than ${limits.issuerTrust} bytes of JSON together`);
  if (any_subject && require === null)
    throw badRequest(
      '`require` is missing: with `any_subject`, say which claims make a user one of the staff',
    );
}

function requireKeys({ jwks, jwks_uri: uri }: IssuerFields, { keyHostFault }: Known): void {
  if (jwks !== null) return;
  if (uri === null) throw badRequest('`jwks` is missing: send the public keys of the sign-in, or `jwks_uri`');
  const fault = keyHostFault(uri);
  if (fault !== undefined) throw badRequest(`\`jwks_uri\` ${fault}`);
}

/** Returns the prefix of an issuer as its users' subjects have it: one that can begin a UUID is in lower case. */
const comparable = ({ subject_prefix: prefix }: LiveIssuer): string =>
  /^[\da-f-]*$/i.test(prefix) ? prefix.toLowerCase() : prefix;

function requireRoom(row: IssuerFields, others: readonly LiveIssuer[]): void {
  if (others.length >= limits.issuers) {
    throw new Refusal('conflict', `A tenant has at most ${limits.issuers} issuers: revoke one first.`);
  }
  const prefix = comparable(row);
  const collides = (other: LiveIssuer): boolean =>
    !other.any_subject &&
    (other.issuer !== row.issuer || other.subject_claim !== row.subject_claim) &&
    (comparable(other).startsWith(prefix) || prefix.startsWith(comparable(other)));
  if (row.any_subject || !others.some(collides)) return;
  throw new Refusal(
    'conflict',
    'Another issuer has a `subject_prefix` that begins with this one, or this one with it, so two people could share ' +
      'a subject: choose prefixes like `staff:` and `patient:`.',
  );
}
