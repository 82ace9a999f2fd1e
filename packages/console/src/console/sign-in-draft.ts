// What the form of a sign-in holds, and what of it the service gets.
import { useSignal } from '@preact/signals';
import type { Input, IssuerPermission, Output } from '@eaas/protocol/wire';
import { type ApiKeyChanges, changesOf } from './api-key-changes.ts';
import { expiryOf, originsIn } from './api-key-draft.ts';

export type IssuerRecord = Output<'GET /v1/issuers/:issuer_id'>;
export type NewIssuer = Input<'POST /v1/issuers'>;
type Changed = Omit<Input<'PATCH /v1/issuers/:issuer_id'>, 'issuer_id'>;

/** The fields of the API that an error can be about. */
const fields = [
  'name',
  'issuer',
  'audience',
  'jwks_uri',
  'jwks',
  'permissions',
  'key_ids',
  'allowed_origins',
  'authorized_parties',
  'require',
  'subject_claim',
  'subject_prefix',
  'max_age_seconds',
  'expires_at',
] as const;
export type FieldName = (typeof fields)[number];
export type Faults = Partial<Record<FieldName, string>>;

export interface SignInDraft {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly keysFrom: 'uri' | 'text';
  readonly jwksUri: string;
  readonly jwks: string;
  readonly permissions: readonly IssuerPermission[];
  readonly keyIds: readonly string[];
  readonly origins: readonly string[] | null;
  /** Whose data its tokens open: that of its users, or everyone's, as staff or as a workload. */
  readonly whose: 'own' | 'staff' | 'workload';
  readonly subjectClaim: string;
  readonly subjectPrefix: string;
  readonly require: string;
  readonly parties: string;
  readonly maxAge: string;
  readonly expires: string;
  readonly expiresOn: string;
}

export const emptyDraft: SignInDraft = {
  name: '',
  issuer: '',
  audience: '',
  keysFrom: 'uri',
  jwksUri: '',
  jwks: '',
  permissions: ['encrypt', 'decrypt'],
  keyIds: [],
  origins: null,
  whose: 'own',
  subjectClaim: 'sub',
  subjectPrefix: '',
  require: '',
  parties: '',
  maxAge: '3600',
  expires: '',
  expiresOn: '',
};

export function draftOf(record: IssuerRecord): SignInDraft {
  return {
    name: record.name,
    issuer: record.issuer,
    audience: record.audience,
    keysFrom: record.jwks === null ? 'uri' : 'text',
    jwksUri: record.jwks_uri ?? '',
    jwks: record.jwks === null ? '' : JSON.stringify(record.jwks, null, 2),
    permissions: record.permissions,
    keyIds: record.key_ids,
    origins: record.allowed_origins,
    whose: record.kind === 'workload' ? 'workload' : record.any_subject ? 'staff' : 'own',
    subjectClaim: record.subject_claim,
    subjectPrefix: record.subject_prefix,
    require: claimLines(record.require).join('\n'),
    parties: record.authorized_parties?.join('\n') ?? '',
    maxAge: String(record.max_age_seconds),
    expires: 'unchanged',
    expiresOn: '',
  };
}

export type SignInSignals = ReturnType<typeof useSignInDraft>;

export function useSignInDraft(start: SignInDraft) {
  return {
    name: useSignal(start.name),
    issuer: useSignal(start.issuer),
    audience: useSignal(start.audience),
    keysFrom: useSignal(start.keysFrom),
    jwksUri: useSignal(start.jwksUri),
    jwks: useSignal(start.jwks),
    permissions: useSignal(start.permissions),
    keyIds: useSignal<readonly string[] | null>(start.keyIds),
    isForPages: useSignal(start.origins !== null),
    origins: useSignal(start.origins?.join('\n') ?? ''),
    whose: useSignal(start.whose),
    subjectClaim: useSignal(start.subjectClaim),
    subjectPrefix: useSignal(start.subjectPrefix),
    require: useSignal(start.require),
    parties: useSignal(start.parties),
    maxAge: useSignal(start.maxAge),
    expires: useSignal(start.expires),
    expiresOn: useSignal(start.expiresOn),
  };
}

export function draftIn(signals: SignInSignals): SignInDraft {
  const { isForPages, origins, keyIds, ...rest } = signals;
  const values = Object.fromEntries(Object.entries(rest).map(([name, { value }]) => [name, value]));
  return {
    ...(values as unknown as Omit<SignInDraft, 'origins' | 'keyIds'>),
    name: signals.name.value.trim(),
    keyIds: keyIds.value ?? [],
    origins: isForPages.value ? originsIn(origins.value) : null,
  };
}

/** What is wrong before the service is asked. */
export function faultsOf(draft: SignInDraft): Faults {
  const { keysFrom, jwks, permissions, keyIds, origins, whose, require } = draft;
  const faults: Faults = {};
  if (keysFrom === 'text' && !keySetIn(jwks))
    faults.jwks = 'This is no JSON Web Key Set: a JSON object whose `keys` is a list.';
  if (permissions.length === 0) faults.permissions = 'Choose what its users may do.';
  if (keyIds.length === 0) faults.key_ids = 'Choose at least one key.';
  if (origins?.length === 0)
    faults.allowed_origins = 'Name at least one origin, such as https://app.example.';
  if (linesIn(require).length > 0 && !claimsIn(require))
    faults.require = 'Write one claim a line, each once, as in role=doctor,nurse.';
  if (whose !== 'own' && linesIn(require).length === 0)
    faults.require = 'Say which claims a token of them has, as in role=doctor,nurse.';
  return faults;
}

/** The field that an error of the service is about. Its sentences name the field in backticks. */
export function fieldIn(detail: string): FieldName | undefined {
  const [, named] = /`(\w+)/.exec(detail) ?? [];
  return fields.find((name) => name === named);
}

export function newIssuerOf(draft: SignInDraft): NewIssuer {
  const expires_at = expiryOf(draft) ?? null;
  const { allowed_origins, ...trust } = trustOf(draft);
  return {
    name: draft.name,
    issuer: draft.issuer,
    audience: draft.audience,
    ...keysOf(draft),
    permissions: [...draft.permissions],
    key_ids: [...draft.keyIds],
    allowed_origins,
    subject_claim: draft.subjectClaim,
    subject_prefix: draft.subjectPrefix,
    kind: draft.whose === 'workload' ? 'workload' : 'people',
    any_subject: draft.whose === 'staff',
    ...trust,
    expires_at,
  };
}

export interface SignInChanges extends Omit<ApiKeyChanges, 'fields'> {
  readonly fields: Changed;
}

/** What a changed form sends, and what it means. A text that is as before is not sent. */
export function signInChanges(record: IssuerRecord, draft: SignInDraft): SignInChanges {
  const before = draftOf(record);
  const { fields, losses, gains } = changesOf(record, draft);
  const { key_ids, ...plain } = fields;
  const { require, authorized_parties, max_age_seconds } = trustOf(draft);
  const hasNewKeys = (['keysFrom', 'jwks', 'jwksUri'] as const).some((name) => draft[name] !== before[name]);
  const hasNewClaims = draft.require !== before.require;
  const hasNewParties = draft.parties !== before.parties;
  const longer = max_age_seconds - record.max_age_seconds;
  return {
    fields: {
      ...plain,
      ...(key_ids && { key_ids }),
      ...(hasNewKeys && keysOf(draft)),
      ...(hasNewClaims && { require }),
      ...(hasNewParties && { authorized_parties }),
      ...(longer !== 0 && { max_age_seconds }),
    },
    losses: [
      ...losses,
      ...(hasNewKeys ? ['Tokens that only the public keys of before verify are refused.'] : []),
      ...(hasNewClaims && require ? ['Tokens without the claims that are now required are refused.'] : []),
      ...(hasNewParties && authorized_parties ? ['Tokens of other authorised parties are refused.'] : []),
      ...(longer < 0 ? [`Tokens that are valid for more than ${max_age_seconds} seconds are refused.`] : []),
    ],
    gains: [
      ...gains,
      ...(hasNewKeys ? ['Tokens that the new public keys verify are accepted.'] : []),
      ...(hasNewClaims ? ['Tokens that have what is now required are accepted.'] : []),
      ...(hasNewParties ? ['Tokens of the new authorised parties are accepted.'] : []),
      ...(longer > 0 ? [`Tokens that are valid for up to ${max_age_seconds} seconds are accepted.`] : []),
    ],
  };
}

/** Whose data the tokens of an issuer open, in words. */
export function whoseData({ kind, any_subject }: Pick<IssuerRecord, 'kind' | 'any_subject'>): string {
  if (kind === 'workload') return 'all data (workload)';
  return any_subject ? 'everyone’s data (staff)' : 'their own data';
}

/** The required claims as the form has them, one a line. */
export function claimLines(require: IssuerRecord['require']): string[] {
  return Object.entries(require ?? {}).map(([claim, values]) => `${claim}=${String(values)}`);
}

function keysOf({ keysFrom, jwksUri, jwks }: SignInDraft): Pick<NewIssuer, 'jwks' | 'jwks_uri'> {
  return keysFrom === 'uri' ? { jwks_uri: jwksUri.trim() } : { jwks: keySetIn(jwks) ?? { keys: [] } };
}

function trustOf({ require, parties, maxAge, origins }: SignInDraft) {
  const named = linesIn(parties);
  return {
    allowed_origins: origins && [...origins],
    require: claimsIn(require) ?? null,
    authorized_parties: named.length > 0 ? named : null,
    max_age_seconds: Number(maxAge),
  };
}

function linesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Undefined if the text has no claim, or a line that is none. */
function claimsIn(text: string): Record<string, string[]> | undefined {
  const claims = new Map<string, string[]>();
  for (const line of linesIn(text)) {
    const [, claim = '', list = ''] = /^([^=]+)=(.*)$/.exec(line) ?? [];
    const values = list.split(',').map((value) => value.trim());
    if (claim === '' || claims.has(claim.trim()) || values.includes('')) return undefined;
    claims.set(claim.trim(), values);
  }
  return claims.size > 0 ? Object.fromEntries(claims) : undefined;
}

/** Reads a key set. Other members than `keys`, which providers add, say nothing here. */
function keySetIn(text: string): Exclude<NewIssuer['jwks'], undefined> | undefined {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    return Array.isArray(keys) ? { keys: keys as NonNullable<NewIssuer['jwks']>['keys'] } : undefined;
  } catch {
    return undefined;
  }
}
