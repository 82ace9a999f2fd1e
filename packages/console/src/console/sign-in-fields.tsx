// The form of a sign-in: whose tokens the service accepts, and for what.
import { type Input as InputOf, type IssuerPermission, limits, type Output } from '@eaas/protocol/wire';
import { Field as Input, Radios } from '../parts/field.tsx';
import { type Field, type Fields, type Form, memberOf } from '../parts/form.ts';
import { nameOf, text, typed } from '../parts/typed.tsx';
import { expiry, keyIds, origins, permissionsOf, permissionTexts } from './fields.tsx';

export type IssuerRecord = Output<'GET /v1/issuers/:issuer_id'>;
export type NewIssuer = InputOf<'POST /v1/issuers'>;
type KeySet = NonNullable<NewIssuer['jwks']>;

const ofUsers: Readonly<Partial<Record<IssuerPermission, string>>> = {
  encrypt: 'Wrap data keys',
  decrypt: 'Unwrap data keys',
  'audit.own': 'See who used their own data, and when',
};

/** A workload can have what an API key that is limited to some keys can have. */
const ofWorkloads: typeof ofUsers = Object.fromEntries(
  Object.entries(permissionTexts).filter(([name]) => /^(en|de)crypt$|^keys/.test(name)),
);

/** Where the public keys come from. */
interface KeySource {
  readonly from: 'uri' | 'text';
  readonly uri: string;
}

const isPasted = ({ shown }: Form): boolean =>
  (shown['jwks_uri']?.value as KeySource | undefined)?.from === 'text';
const saysOfKeys = () => ({
  losses: ['Tokens that only the public keys of before verify are refused.'],
  gains: ['Tokens that the new public keys verify are accepted.'],
});

const jwksUri: Field<string, KeySource, IssuerRecord> = {
  start: (record) => ({ from: record?.jwks ? 'text' : 'uri', uri: record?.jwks_uri ?? '' }),
  read: ({ from, uri }) => (from === 'uri' ? uri.trim() : undefined),
  says: saysOfKeys,
  View: ({ value, error }) => (
    <fieldset>
      <legend>Public keys</legend>
      <Radios
        name="keys-from"
        value={memberOf(value, 'from')}
        options={[
          ['uri', 'The service fetches them, and follows changes'],
          ['text', 'Only these, pasted here'],
        ]}
      />
      {value.value.from === 'uri' && (
        <Input
          label="Address of the key set"
          hint={
            <>
              The jwks_uri of the provider. The operator allows its host with <code>EAAS_ISSUER_HOSTS</code>.
            </>
          }
          placeholder="https://sign-in.example/.well-known/jwks.json"
          error={error}
          required
          value={memberOf(value, 'uri')}
        />
      )}
    </fieldset>
  ),
};

const jwks: Field<KeySet, string, IssuerRecord> = {
  start: (record) => (record?.jwks ? JSON.stringify(record.jwks, null, 2) : ''),
  read: (shown, form) => (isPasted(form) ? keySetIn(shown) : undefined),
  fault: (shown, form) =>
    isPasted(form) && !keySetIn(shown)
      ? 'This is no JSON Web Key Set: a JSON object whose `keys` is a list.'
      : undefined,
  says: saysOfKeys,
  View: ({ value, error, form }) =>
    isPasted(form) && (
      <Input
        label="JSON Web Key Set"
        hint="The provider publishes it, often as /.well-known/jwks.json. When it changes its keys, paste the new ones."
        placeholder='{ "keys": [ … ] }'
        rows={6}
        required
        error={error}
        value={value}
      />
    ),
};

/** Reads a key set. Members other than `keys`, which some providers add, are ignored. */
function keySetIn(typed: string): KeySet | undefined {
  try {
    const { keys } = JSON.parse(typed) as { readonly keys?: unknown };
    return Array.isArray(keys) ? { keys: keys as KeySet['keys'] } : undefined;
  } catch {
    return undefined;
  }
}

/** Whose data its tokens open: that of its users, or everyone's, as staff or as a workload. */
type Whose = 'own' | 'staff' | 'workload';
const whoseIn = ({ shown }: Form) => shown['kind']?.value as Whose;

const kind: Field<'people' | 'workload', Whose, IssuerRecord> = {
  isFixed: true,
  start: (record) => (record?.kind === 'workload' ? 'workload' : record?.any_subject ? 'staff' : 'own'),
  read: (shown) => (shown === 'workload' ? 'workload' : 'people'),
  View: ({ value }) => (
    <fieldset>
      <legend>Whose data its users open</legend>
      <Radios
        name="whose"
        value={value}
        options={[
          ['own', 'Only their own, as patients do'],
          ['staff', 'Everyone’s, as staff does: say below which claims make a user one of the staff'],
          ['workload', 'All, as a workload: a service with an identity of its platform'],
        ]}
      />
    </fieldset>
  ),
};

const require: Field<Record<string, string[]> | null, string, IssuerRecord> = {
  start: (record) => claimLines(record?.require ?? null).join('\n'),
  read: (shown) => claimsIn(shown) ?? null,
  fault: (shown, form) => {
    const isEmpty = linesIn(shown).length === 0;
    if (!isEmpty && !claimsIn(shown)) return 'Write one claim a line, each once, as in role=doctor,nurse.';
    return isEmpty && whoseIn(form) !== 'own'
      ? 'Say which claims a token of them has, as in role=doctor,nurse.'
      : undefined;
  },
  says: (_, after) => ({
    losses: after ? ['Tokens without the claims that are now required are refused.'] : [],
    gains: ['Tokens that have what is now required are accepted.'],
  }),
  View: typed({
    label: 'Required claims',
    hint: 'One per line. A token must have one of the values of each claim.',
    placeholder: 'role=doctor,nurse',
    rows: 2,
  }),
};

const parties: Field<string[] | null, string, IssuerRecord> = {
  start: (record) => record?.authorized_parties?.join('\n') ?? '',
  read: (shown) => (linesIn(shown).length === 0 ? null : linesIn(shown)),
  says: (_, after) => ({
    losses: after ? ['Tokens of other authorised parties are refused.'] : [],
    gains: ['Tokens of the new authorised parties are accepted.'],
  }),
  View: typed({
    label: 'Authorised parties',
    hint: 'One client id (azp) per line. Only for tokens with several audiences.',
    rows: 2,
  }),
};

const longest = {
  label: 'Longest life of a token, in seconds',
  type: 'number',
  min: 60,
  max: limits.tokenAge,
  required: true,
  hint: `From 60 to ${limits.tokenAge.toLocaleString('en')}. Set the provider to this or less.`,
} as const;

const fixed = <Name extends string>(...of: Parameters<typeof text<Name>>) => ({
  ...text(...of),
  isFixed: true as const,
});

export const signInFields: Fields<NewIssuer, IssuerRecord> = {
  name: nameOf('Whose sign-in it is, such as patients.'),
  issuer: fixed('issuer', {
    label: 'Issuer',
    hint: 'The claim iss of its tokens, exactly.',
    placeholder: 'https://sign-in.example',
    required: true,
  }),
  audience: fixed('audience', {
    label: 'Audience',
    hint: 'The claim aud of its tokens, exactly. It says that a token is for your app.',
    required: true,
  }),
  jwks_uri: jwksUri,
  jwks,
  kind,
  any_subject: { isFixed: true, start: () => null, read: (_, form) => whoseIn(form) === 'staff' },
  subject_claim: fixed(
    'subject_claim',
    {
      label: 'Claim that names the user',
      hint: 'One that users cannot choose. It never changes.',
      required: true,
    },
    'sub',
  ),
  subject_prefix: fixed('subject_prefix', {
    label: 'Prefix',
    hint: 'What stands before the claim in the subject, such as patient: or nothing.',
  }),
  permissions: permissionsOf<IssuerPermission>({
    legend: 'What its tokens allow',
    fault: 'Choose what its users may do.',
    texts: (form) => (whoseIn(form) === 'workload' ? ofWorkloads : ofUsers),
  }),
  key_ids: keyIds<string[]>([]),
  allowed_origins: origins(
    'No web page can send its tokens, only programs',
    'Web pages of these origins can send its tokens too',
    'One per line. The pages that your users sign in on.',
  ),
  require,
  authorized_parties: parties,
  max_age_seconds: {
    ...text('max_age_seconds', longest, '3600'),
    read: Number,
    says: (before, after) =>
      after < before
        ? { losses: [`Tokens that are valid for more than ${after} seconds are refused.`] }
        : { gains: [`Tokens that are valid for up to ${after} seconds are accepted.`] },
  },
  expires_at: expiry(''),
};

/** Whose data the tokens of an issuer open, in words. */
export function whoseData({ kind: of, any_subject }: Pick<IssuerRecord, 'kind' | 'any_subject'>): string {
  if (of === 'workload') return 'all data (workload)';
  return any_subject ? 'everyone’s data (staff)' : 'their own data';
}

/** The required claims as the form has them, one a line. */
export function claimLines(claims: IssuerRecord['require']): string[] {
  return Object.entries(claims ?? {}).map(([claim, values]) => `${claim}=${String(values)}`);
}

function linesIn(typed: string): string[] {
  return typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Undefined if the text has no claim, or a line that is none. */
function claimsIn(typed: string): Record<string, string[]> | undefined {
  const claims = new Map<string, string[]>();
  for (const line of linesIn(typed)) {
    const [, claim = '', list = ''] = /^([^=]+)=(.*)$/.exec(line) ?? [];
    const values = list.split(',').map((value) => value.trim());
    if (claim === '' || claims.has(claim.trim()) || values.includes('')) return undefined;
    claims.set(claim.trim(), values);
  }
  return claims.size > 0 ? Object.fromEntries(claims) : undefined;
}
