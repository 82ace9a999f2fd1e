// Decides about issuers: like an API key, an issuer grants only what its creator has. The calls that manage issuers ask it.
import { InputError, toUtf8 } from '@eaas/protocol';
import { canonicalJson } from '@eaas/protocol/audit';
import { toHex, utf8Length } from '@eaas/protocol/internal';
import { isObject, isSecretKey, keyFault, keyMembers, readJson } from '@eaas/protocol/internal-service';
import { type Input, limits, type Output, type Permission } from '@eaas/protocol/wire';
import { sha256 } from '#platform';
import type { View } from '../../ledger/decision.ts';
import type { Query } from '../../ledger/table.ts';
import {
  excessOf,
  requireFuture,
  requireKnown,
  requireWithin,
  storedFields,
} from '../../rules/api-key-rules.ts';
import type { Reach } from '../../rules/authorize.ts';
import { type Change, changesOf, defined, type Draft, tenantDraft } from '../../rules/draft.ts';
import { shownRow } from '../../operations/records.ts';
import { badRequest, Refusal } from '../../rules/refusal.ts';
import { type IssuerRow, issuers } from './table.ts';

type Fields = Omit<Input<'PATCH /v1/issuers/:issuer_id'>, 'issuer_id'>;

/** Why the service does not fetch keys from a URI, or undefined if it does. */
export type KeyHostFault = (uri: string) => string | undefined;

/** The issuers that a new one is compared with. */
export const live: Query<IssuerRow> = { table: issuers, where: [['revoked_at', 'null']] };

/**
 * Decides about a new issuer: its row and its entry. `giver` has the rights of the caller: null for the operator, who has
 * all. Throws Refusal.
 */
export function newIssuer(
  input: Input<'POST /v1/issuers'>,
  view: View,
  giver: Reach | null,
  made: Pick<IssuerRow, 'issuer_id' | 'tenant_id' | 'created_by'>,
  keyHostFault: KeyHostFault,
): { readonly row: IssuerRow; readonly draft: Draft } {
  const { name, issuer, audience, permissions } = input;
  const { kind = 'people', subject_claim = 'sub', subject_prefix = '', any_subject = false } = input;
  const unset = {
    jwks: null,
    jwks_uri: null,
    authorized_parties: null,
    allowed_origins: null,
    require: null,
    max_age_seconds: 3_600,
    expires_at: null,
  };
  const { key_ids = [], ...set } = { ...unset, ...storedIssuer(input) };
  const identity = { kind, issuer, audience, subject_claim, subject_prefix, any_subject };
  const created = { created_at: view.now, revoked_at: null, created_id: view.entryId, rev: view.entryId };
  const row: IssuerRow = { ...set, ...made, ...identity, ...created, name, permissions, key_ids };
  requireConsistent(row);
  requireKeys(row, keyHostFault);
  requireFuture(row.expires_at, view.now);
  requireWithin(giver, reachOf(row));
  requireKnown(view, row.key_ids);
  requireRoom(row, view.all(live).rows);
  const { created_at: _, created_by: __, revoked_at: ___, ...fields } = listedIssuer(row);
  return { row, draft: tenantDraft('issuer.create', { ...fields, ...shownTrust(row) }) };
}

/** Decides about a change of an issuer. Throws Refusal. */
export function patchedIssuer(
  input: Fields,
  keyHostFault: KeyHostFault,
  before: IssuerRow,
  view: View,
  giver: Reach | null,
): Change<IssuerRow> | undefined {
  if (before.revoked_at !== null) {
    throw new Refusal('conflict', 'The issuer is revoked and cannot be changed: create another issuer.');
  }
  const set = storedIssuer(input);
  const row = { ...before, ...set };
  requireConsistent(row);
  if (set.jwks_uri) requireKeys(row, keyHostFault);
  if (set.expires_at !== before.expires_at) requireFuture(set.expires_at, view.now);
  requireKnown(view, set.key_ids);
  const old = shownTrust(before);
  const trust = shownTrust(row);
  if (changesOf(old, trust) || excessOf(reachOf(row), reachOf(before))) requireWithin(giver, reachOf(row));
  const changes = changesOf({ ...before, ...old }, { ...set, ...trust });
  return changes && ['issuer.update', set, { changes }];
}

/** Decides about the end of an issuer. */
export const revokedIssuer = ({ revoked_at }: IssuerRow, { now }: View): Change<IssuerRow> | undefined =>
  revoked_at === null ? ['issuer.revoke', { revoked_at: now }] : undefined;

type IssuerRecord = Output<'GET /v1/issuers/:issuer_id'>;
type ListedIssuer = Output<'GET /v1/issuers'>['issuers'][number];

/** Returns an issuer as the API shows it. */
export const issuerRecord = (row: IssuerRow): IssuerRecord => ({
  ...listedIssuer(row),
  jwks: row.jwks === null ? null : (JSON.parse(row.jwks) as IssuerRecord['jwks']),
  require: row.require === null ? null : (JSON.parse(row.require) as IssuerRecord['require']),
});

/** Returns an issuer as a list shows it: without what can be long. */
export function listedIssuer(row: IssuerRow): ListedIssuer {
  const { jwks: _, require: __, ...listed } = shownRow(issuers, row);
  return listed as ListedIssuer;
}

function storedIssuer({ jwks, jwks_uri, require, ...fields }: Fields) {
  if (jwks && jwks_uri !== undefined) throw badRequest('send either `jwks` or `jwks_uri`, not both');
  return defined({
    ...storedFields(fields),
    jwks: jwks ? canonicalJson({ keys: jwks.keys.map(publicMembers) }) : jwks_uri && null,
    jwks_uri: jwks ? null : jwks_uri,
    require: require && canonicalJson(require),
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
  const set = readJson(bytes);
  const keys = isObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys)) throw new InputError('no JSON Web Key Set: a JSON object whose `keys` is a list');
  const records = keys.filter(isObject);
  if (records.some(isSecretKey)) throw new InputError('a key set with a private or symmetric key');
  const usable = records.filter((jwk) => keyFault(jwk) === undefined);
  if (usable.length === 0) throw new InputError('a key set without a key that can verify tokens');
  return canonicalJson({ keys: usable.map(publicMembers) });
}

/** The rights of an issuer as those of an API key. `audit.own` lies within `audit.read`. */
function reachOf({ permissions, ...limited }: IssuerRow): Reach {
  const asApiKey = permissions.map((one): Permission => (one === 'audit.own' ? 'audit.read' : one));
  return { ...limited, permissions: asApiKey };
}

const shownBytes = 256;

/** What decides whose tokens are accepted, as the audit log shows it: short values, and the hash of longer ones. */
function shownTrust({ jwks, jwks_uri, require, authorized_parties, max_age_seconds }: IssuerRow) {
  return {
    jwks: shownTrustIn(jwks),
    jwks_uri: shownTrustIn(jwks_uri),
    require: shownTrustIn(require),
    authorized_parties: shownTrustIn(authorized_parties && canonicalJson(authorized_parties)),
    max_age_seconds,
  };
}

/** Returns a value that decides whose tokens are accepted as the audit log shows it. */
export const shownTrustIn = (json: string | null): string | null =>
  json === null || json.length <= shownBytes ? json : `sha256:${toHex(sha256(toUtf8(json)))}`;

/** Whether its tokens open the data of every subject. */
export const opensAll = ({ kind, any_subject }: IssuerRow): boolean => kind === 'workload' || any_subject;

function requireConsistent(row: IssuerRow): void {
  const { kind, permissions, allowed_origins, jwks, require } = row;
  const isWorkload = kind === 'workload';
  const wrong = permissions.find((one) => (isWorkload ? one === 'audit.own' : one.startsWith('keys.')));
  if (wrong) throw badRequest(`\`permissions\` of the kind \`${kind}\` cannot have \`${wrong}\``);
  if (isWorkload && allowed_origins) throw badRequest('`allowed_origins` is not for workloads: leave it out');
  const bytes = utf8Length(jwks ?? '') + utf8Length(require ?? '');
  if (bytes > limits.issuerTrust) {
    throw badRequest(`\`jwks\` and \`require\` have more than ${limits.issuerTrust} bytes of JSON together`);
  }
  if (opensAll(row) && require === null) {
    throw badRequest('`require` is missing: say which claims a token of the staff or the workload has');
  }
}

function requireKeys({ jwks, jwks_uri: uri }: IssuerRow, keyHostFault: KeyHostFault): void {
  if (jwks !== null) return;
  if (uri === null) throw badRequest('`jwks` is missing: send the public keys of the sign-in, or `jwks_uri`');
  const fault = keyHostFault(uri);
  if (fault !== undefined) throw badRequest(`\`jwks_uri\` ${fault}`);
}

/** Returns the prefix of an issuer as its users' subjects have it: one that can begin a UUID is in lower case. */
const comparable = ({ subject_prefix: prefix }: IssuerRow): string =>
  /^[\da-f-]*$/i.test(prefix) ? prefix.toLowerCase() : prefix;

function requireRoom(row: IssuerRow, others: readonly IssuerRow[]): void {
  if (others.length >= limits.issuers) {
    throw new Refusal('conflict', `A tenant has at most ${limits.issuers} issuers: revoke one first.`);
  }
  const prefix = comparable(row);
  const collides = (other: IssuerRow): boolean =>
    !opensAll(other) &&
    (other.issuer !== row.issuer || other.subject_claim !== row.subject_claim) &&
    (comparable(other).startsWith(prefix) || prefix.startsWith(comparable(other)));
  if (opensAll(row) || !others.some(collides)) return;
  throw new Refusal(
    'conflict',
    'Another issuer has a `subject_prefix` that begins with this one, or this one with it, so two people could share ' +
      'a subject: choose prefixes like `staff:` and `patient:`.',
  );
}
