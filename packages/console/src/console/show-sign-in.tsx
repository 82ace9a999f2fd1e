import type { EaasClient } from '@eaas/sdk';
import { inLine } from '@eaas/protocol/internal';
import { CopyBox } from '../parts/copy.tsx';
import { ShowDialog } from '../parts/dialog.tsx';
import { Fact } from '../parts/fact.tsx';
import { Notice } from '../parts/states.tsx';
import { dateTime } from '../parts/times.ts';
import { nameIn, useKeyNames } from './names.ts';
import { claimLines, type IssuerRecord, whoseData } from './sign-in-draft.ts';

interface ShowSignInProps {
  readonly client: EaasClient;
  readonly issuer: IssuerRecord;
  readonly isNew: boolean;
  readonly onClose: () => void;
}

export function ShowSignIn({ client, issuer, isNew, onClose }: ShowSignInProps) {
  const keys = useKeyNames(client);
  const { issuer_id, jwks, jwks_uri, subject_prefix, subject_claim, allowed_origins, expires_at } = issuer;
  return (
    <ShowDialog title={inLine(issuer.name)} action="Close" onClose={onClose}>
      {isNew && (
        <Notice tone="good">
          The service accepts its tokens now. Pass this id to the SDK as <code>issuer</code>, or without the
          SDK send it with each token, in the header <code>Eaas-Issuer</code>.
        </Notice>
      )}
      <CopyBox text={issuer_id} of="the issuer id" />
      <dl class="details">
        <Fact title="Issuer">{issuer.issuer}</Fact>
        <Fact title="Audience">{issuer.audience}</Fact>
        <Fact title="Users may">{issuer.permissions.join(', ')}</Fact>
        <Fact title="Users open">{whoseData(issuer)}</Fact>
        <Fact title="A user’s subject">
          {subject_prefix && <code>{subject_prefix}</code>} the claim <code>{subject_claim}</code>
        </Fact>
        <Fact title="Keys">{issuer.key_ids.map((id) => nameIn(keys, id) ?? id).join(', ')}</Fact>
        <Fact title="Web pages">{allowed_origins?.join(', ') ?? 'none'}</Fact>
        <Fact title="Required claims">{claimLines(issuer.require).join('; ') || 'none'}</Fact>
        <Fact title="Authorised parties">{issuer.authorized_parties?.join(', ') ?? 'none'}</Fact>
        <Fact title="Longest life">{issuer.max_age_seconds.toLocaleString('en')} seconds</Fact>
        <Fact title="Public keys">
          {jwks === null ? (
            <>fetched from {jwks_uri}</>
          ) : (
            <ul>
              {jwks.keys.map((jwk, index) => (
                <li key={index}>
                  <code>{textOf(jwk['kid']) ?? `key ${index + 1}`}</code>{' '}
                  <span class="soft">{textOf(jwk['alg']) ?? textOf(jwk['crv']) ?? jwk.kty}</span>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        <Fact title="Expires">{expires_at === null ? 'never' : dateTime(expires_at)}</Fact>
        <Fact title="Created">{dateTime(issuer.created_at)}</Fact>
        {issuer.revoked_at !== null && <Fact title="Revoked">{dateTime(issuer.revoked_at)}</Fact>}
      </dl>
    </ShowDialog>
  );
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
