import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import {
  draftOf,
  emptyDraft,
  faultsOf,
  fieldIn,
  type IssuerRecord,
  newIssuerOf,
  signInChanges,
  type SignInDraft,
  whoseData,
} from './sign-in-draft.ts';

const jwks = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', kid: '1', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
};

async function accepted(more: Partial<SignInDraft> = {}) {
  const client = new EaasClient({ ...createTestService() });
  const { key_id } = await client.keys.create({ name: 'patients' });
  const draft: SignInDraft = {
    ...emptyDraft,
    name: 'patients',
    issuer: 'https://sign-in.example',
    audience: 'app',
    keysFrom: 'text',
    jwks: JSON.stringify({ ...jwks, more: 'of the provider' }),
    keyIds: [key_id],
    ...more,
  };
  const issuer = await client.issuers.create(newIssuerOf(draft));
  return {
    client,
    draft,
    issuer,
    edit: (edited: Partial<SignInDraft>) => ({ ...draftOf(issuer), ...edited }),
  };
}

test('the form of a sign-in sends every field, and shows the record as it is', async () => {
  const { draft, issuer } = await accepted({
    whose: 'staff',
    require: 'role=doctor, nurse\n\n house = a ',
    parties: 'web\n app ',
    origins: ['https://app.example'],
    subjectClaim: 'oid',
    subjectPrefix: 'staff:',
    maxAge: '900',
  });
  expect(faultsOf(draft)).toEqual({});
  expect(issuer).toMatchObject({
    jwks,
    any_subject: true,
    require: { role: ['doctor', 'nurse'], house: ['a'] },
    authorized_parties: ['web', 'app'],
    allowed_origins: ['https://app.example'],
    subject_claim: 'oid',
    subject_prefix: 'staff:',
    max_age_seconds: 900,
    expires_at: null,
  });
  expect(signInChanges(issuer, draftOf(issuer))).toEqual({ fields: {}, losses: [], gains: [] });
});

test('the form of a workload sends its kind, and shows it', async () => {
  const { issuer, edit } = await accepted({
    whose: 'workload',
    require: 'namespace=shop',
    permissions: ['decrypt', 'keys.manage'],
  });
  expect(issuer).toMatchObject({
    kind: 'workload',
    any_subject: false,
    permissions: ['decrypt', 'keys.manage'],
  });
  expect([draftOf(issuer).whose, whoseData(issuer)]).toEqual(['workload', 'all data (workload)']);
  expect(signInChanges(issuer, edit({ name: 'shop' })).fields).toEqual({ name: 'shop' });
});

test('an address of a key set is sent instead of pasted keys', () => {
  const sent = newIssuerOf({ ...emptyDraft, jwksUri: ' https://sign-in.example/jwks ', jwks: 'x' });
  expect(sent).toMatchObject({ jwks_uri: 'https://sign-in.example/jwks' });
  expect(sent).not.toHaveProperty('jwks');
});

test('a change is sent alone, and says what it takes away and what it gives', async () => {
  const { client, edit, issuer } = await accepted({ require: 'role=doctor' });
  const changes = signInChanges(issuer, edit({ require: '', maxAge: '7200', permissions: ['decrypt'] }));
  expect(changes).toEqual({
    fields: { permissions: ['decrypt'], require: null, max_age_seconds: 7_200 },
    losses: ['Calls that need encrypt are refused.'],
    gains: [
      'Tokens that have what is now required are accepted.',
      'Tokens that are valid for up to 7200 seconds are accepted.',
    ],
  });
  const { issuer_id } = issuer;
  expect(await client.issuers.update({ issuer_id, ...changes.fields })).toMatchObject(changes.fields);
  expect((await client.issuers.revoke({ issuer_id })).revoked_at).not.toBeNull();
  expect((await client.issuers.page({})).issuers).toHaveLength(1);
});

test('claims that hold a comma are not sent again, if their text was not changed', async () => {
  const { edit, issuer } = await accepted();
  const record: IssuerRecord = { ...issuer, require: { name_of_house: ['Turin, north'] } };
  expect(signInChanges(record, { ...draftOf(record), name: 'house' }).fields).toEqual({ name: 'house' });
  expect(signInChanges(issuer, edit({ parties: 'web' })).fields).toEqual({ authorized_parties: ['web'] });
});

test.each<[Partial<SignInDraft>, string]>([
  [{ keysFrom: 'text', jwks: '{}' }, 'jwks'],
  [{ keysFrom: 'text', jwks: '-----BEGIN' }, 'jwks'],
  [{ permissions: [] }, 'permissions'],
  [{ keyIds: [] }, 'key_ids'],
  [{ origins: [] }, 'allowed_origins'],
  [{ require: 'doctor' }, 'require'],
  [{ require: 'role=a\nrole=b' }, 'require'],
  [{ require: 'role=' }, 'require'],
  [{ whose: 'staff' }, 'require'],
  [{ whose: 'workload' }, 'require'],
])('the form %j has a fault in %s', (draft, field) => {
  expect(Object.keys(faultsOf({ ...emptyDraft, keyIds: ['id'], ...draft }))).toEqual([field]);
});

test('an error of the service is shown beside the field that it names', async () => {
  const { client, draft } = await accepted();
  const failing = async (more: Partial<SignInDraft>): Promise<string> => {
    const error = await client.issuers
      .create(newIssuerOf({ ...draft, ...more }))
      .catch((caught: Error) => caught);
    return error instanceof Error ? error.message : '';
  };
  for (const [more, field] of [
    [{ subjectClaim: 'email' }, 'subject_claim'],
    [{ issuer: 'https://other.example' }, 'subject_prefix'],
    [{ keyIds: ['00000000-0000-4000-8000-000000000000'] }, 'key_ids'],
    [{ jwks: '{"keys":[{"kty":"oct"}]}' }, 'jwks'],
    [{ keysFrom: 'uri', jwksUri: 'http://sign-in.example/jwks' }, 'jwks_uri'],
    [{ origins: ['app'] }, 'allowed_origins'],
    [{ maxAge: '1' }, 'max_age_seconds'],
  ] as const)
    expect(fieldIn(await failing(more))).toBe(field);
  expect(fieldIn('Nothing is named here.')).toBeUndefined();
});
