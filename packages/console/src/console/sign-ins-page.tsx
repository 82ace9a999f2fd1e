// Sign-ins as records of the console: whose tokens the service accepts, and what their users may do.
import { inLine } from '@eaas/protocol/internal';
import type { Output } from '@eaas/protocol/wire';
import { CopyBox } from '../parts/copy.tsx';
import { ShowDialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { counted, short } from '../parts/texts.ts';
import { Notice } from '../parts/states.tsx';
import { dateTime } from '../parts/times.ts';
import { nameIn, useKeyNames } from './names.ts';
import { type Kind, permissionsColumn, Records, type ShowProps, stateColumn } from './records-page.tsx';
import { claimLines, type IssuerRecord, type NewIssuer, signInFields, whoseData } from './sign-in-fields.tsx';

type IssuerPage = Output<'GET /v1/issuers'>;
/** Lists leave out the public keys and the required claims. */
type ListedIssuer = IssuerPage['issuers'][number];

export function SignIns() {
  return <Records kind={signIns} />;
}

const signIns: Kind<IssuerPage, ListedIssuer, IssuerRecord, NewIssuer> = {
  title: 'Sign-ins',
  lead:
    'The service accepts the tokens of your app’s own sign-in, so that a user’s page needs no API ' +
    'key. A user’s token opens only this user’s data.',
  noun: 'sign-in',
  nouns: 'sign-ins',
  make: ['Accept a sign-in', 'Accept the sign-in'],
  empty: (
    <>
      If your users sign in with OpenID Connect, or with any signed JWT, name the issuer, its audience and its
      public keys here. See{' '}
      <a href="/docs#createIssuer" target="_blank" rel="noopener">
        issuers in the API reference
      </a>{' '}
      and the page “Your app’s sign-in decides who decrypts” of the manual.
    </>
  ),
  fields: signInFields,
  columns: (open) => [
    {
      title: 'Name',
      cell: (issuer) => (
        <>
          <button class="button quiet" type="button" onClick={() => open(issuer)}>
            <span class="unseen">Show </span>
            {inLine(issuer.name)}
          </button>
          <code class="soft under">{short(issuer.issuer_id)}</code>
        </>
      ),
    },
    stateColumn,
    {
      title: 'Issuer',
      cell: ({ issuer }) => (
        <span class="name" title={issuer}>
          {issuer.replace(/^https:\/\//, '')}
        </span>
      ),
    },
    permissionsColumn('Users may'),
    {
      title: 'On',
      cell: (issuer) => (
        <>
          {whoseData(issuer)}
          <span class="soft under">{counted(issuer.key_ids.length, 'key')}</span>
        </>
      ),
    },
  ],
  calls: (client) => client.issuers,
  rowsOf: (page) => page.issuers,
  idOf: ({ issuer_id }) => issuer_id,
  Show,
  fixed:
    'The issuer, the audience, and whose data its users open never change: for others, accept another sign-in.',
  typedOf: ({ name }) => name,
  revoking: ({ issuer }) => (
    <>
      Every token of <strong>{issuer}</strong> for this audience is refused from now on. This cannot be
      undone. Data keys that a page has in memory work for at most five minutes more.
    </>
  ),
};

function Show({ record, isNew }: ShowProps<IssuerRecord>) {
  const keys = useKeyNames();
  const { issuer_id, jwks, jwks_uri, subject_prefix, subject_claim, allowed_origins, expires_at } = record;
  const facts = {
    Issuer: record.issuer,
    Audience: record.audience,
    'Users may': record.permissions.join(', '),
    'Users open': whoseData(record),
    'A user’s subject': (
      <>
        {subject_prefix && <code>{subject_prefix}</code>} the claim <code>{subject_claim}</code>
      </>
    ),
    Keys: record.key_ids.map((id) => nameIn(keys, id) ?? id).join(', '),
    'Web pages': allowed_origins?.join(', ') ?? 'none',
    'Required claims': claimLines(record.require).join('; ') || 'none',
    'Authorised parties': record.authorized_parties?.join(', ') ?? 'none',
    'Longest life': `${record.max_age_seconds.toLocaleString('en')} seconds`,
    'Public keys': jwks === null ? `fetched from ${jwks_uri}` : jwks.keys.map(keyText).join(', '),
    Expires: expires_at === null ? 'never' : dateTime(expires_at),
    Created: dateTime(record.created_at),
  };
  return (
    <ShowDialog title={inLine(record.name)} action="Close">
      {isNew && (
        <Notice tone="good">
          The service accepts its tokens now. Pass this id to the SDK as <code>issuer</code>, or without the
          SDK send it with each token, in the header <code>Eaas-Issuer</code>.
        </Notice>
      )}
      <CopyBox text={issuer_id} of="the issuer id" />
      <Facts of={{ ...facts, ...(record.revoked_at !== null && { Revoked: dateTime(record.revoked_at) }) }} />
    </ShowDialog>
  );
}

/** The name of a public key, and its algorithm or curve. */
function keyText(jwk: Readonly<Record<string, unknown>>, index: number): string {
  const [kid = `key ${index + 1}`, kind = ''] = [jwk['kid'], jwk['alg'] ?? jwk['crv'] ?? jwk['kty']].map(
    (value) => (typeof value === 'string' ? value : undefined),
  );
  return `${kid} (${kind})`;
}
