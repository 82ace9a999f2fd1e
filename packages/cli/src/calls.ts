// The commands that call one endpoint each. A new endpoint needs a line here, and nothing else.
import { escapeHidden } from '@eaas/protocol/internal';
import { type Output, permissions } from '@eaas/protocol/wire';
import { call, type Call, commandOf } from './call.ts';
import { acceptedClaims, keySetIn } from './issuer.ts';
import { showKey, showPublicKey } from './key.ts';
import { note, printResult, type Reporting } from './output.ts';
import { permissionList, wholeNumber } from './values.ts';

const keyId = '0b6c9a52-6f0e-4d5a-9a5c-2f4f1d1e7c11';
const signIn = '--issuer https://sign-in.example --audience https://app.example';

export const tokenNote = 'The token is shown only once and is not stored: save it now.';

const issuerFields = {
  name: { about: 'what the issuer is for' },
  key_ids: { about: 'the keys that users may use' },
  jwks: {
    flags: '--jwks <file>',
    about: 'a file with the public keys of the sign-in (a JSON Web Key Set)',
    read: keySetIn,
  },
  allowed_origins: { about: 'let pages of these origins send tokens, such as https://app.example' },
  require: {
    flags: '--require <claim=value,value>',
    about: 'accept only tokens whose claim has one of these values; repeat it for several claims',
    read: acceptedClaims,
  },
};

/** Prints a checkpoint as the service wrote it, without what a terminal would take for a command. */
export function showCheckpoint(signed: Output<'GET /v1/audit/checkpoint'>, options: Reporting): void {
  if (options.json) return printResult(signed, options);
  process.stdout.write(escapeHidden(signed.checkpoint));
  note(`Pin this verifier key: ${escapeHidden(signed.verifier_key)}`);
}

export const calls: Readonly<Record<string, Call>> = {
  'api-key create': call('POST /v1/api-keys', {
    about: 'Create an API key. Its token is shown once.',
    examples: [
      ' --name first --permissions all',
      ' --name ci --permissions encrypt,decrypt --expires-at 2027-01-01T00:00:00Z --json',
    ],
    fields: {
      name: { about: 'what the API key is for' },
      permissions: { about: `all, or some of ${permissions.join(',')}`, read: permissionList },
    },
    note: tokenNote,
    next: () => 'set EAAS_API_KEY to the token for the application',
  }),
  'api-key list': call('GET /v1/api-keys', {
    about: "List a tenant's API keys, newest first.",
    columns: 'api_key_id name hint permissions expires_at revoked_at last_used_at',
  }),
  'api-key revoke': call('DELETE /v1/api-keys/:api_key_id', {
    about: 'Revoke an API key immediately and permanently.',
    next: (_, isRemote) =>
      !isRemote &&
      '`eaas audit follow --tenant :tenant --once | grep :api_key_id` shows what the API key did',
  }),
  'issuer add': call('POST /v1/issuers', {
    about: 'Accept the tokens of a sign-in. Everything but what names its users can be changed later.',
    examples: [
      ` --name patients ${signIn} --jwks keys.json --permissions encrypt,decrypt --key-ids ${keyId}`,
      ` --name staff ${signIn} --jwks-uri https://sign-in.example/keys --permissions decrypt --key-ids ${keyId} ` +
        "--any-subject --require 'role=doctor,nurse'",
    ],
    fields: issuerFields,
    next: () => "pass `issuer: ':issuer_id'` to the SDK (without it: the header Eaas-Issuer)",
  }),
  'issuer list': call('GET /v1/issuers', {
    about: "List a tenant's issuers, newest first.",
    columns: 'issuer_id name kind issuer permissions any_subject expires_at revoked_at',
  }),
  'issuer show': call('GET /v1/issuers/:issuer_id', {}),
  'issuer set': call('PATCH /v1/issuers/:issuer_id', {
    about: 'Change an issuer. The change counts at once, on every replica, for tokens that exist too.',
    examples: [' --jwks keys.json', " --require 'role=doctor' --expires-at null"],
    fields: issuerFields,
    change: '--max-age-seconds 900',
  }),
  'issuer revoke': call('DELETE /v1/issuers/:issuer_id', {
    about: 'Revoke an issuer immediately and permanently. None of its tokens is accepted any more.',
  }),
  'key create': call('POST /v1/keys', {
    examples: [
      ' --name patients',
      ' --name patients --rotate-every 90 --json',
      ' --name contact-form --intake',
    ],
    fields: {
      name: { about: "the key's name, unique among the keys of the tenant" },
      rotation_policy: {
        flags: '--rotate-every <days>',
        about: 'rotate the key automatically each time this number of days has passed',
        read: (text) => ({ interval_days: wholeNumber(text) }),
      },
    },
    next: ({ intake }) => (intake ? showPublicKey : 'set EAAS_KEY_ID=:key_id for the application'),
  }),
  'key list': call('GET /v1/keys', {
    about: "List a tenant's keys, newest first.",
    examples: ['', ' --status disabled --json'],
    columns: 'key_id name status intake key_version created_at rotated_at destroy_at',
    fields: { name: { about: 'only keys with this name' }, status: { about: 'only keys in this status' } },
  }),
  'key show': call('GET /v1/keys/:key_id', {
    about: 'Show a key and its newest versions. Also show how often clients used each of these versions.',
    print: showKey,
    next: ({ intake, status }) => intake && status === 'active' && showPublicKey,
  }),
  'key public-key': call('GET /v1/keys/:key_id/public-key', {
    about: 'Show the public key of an active intake key. Writers encrypt with it, without an API key.',
    next: ({ intake_public_key }) =>
      intake_public_key === null
        ? 'create a key with --intake: only an intake key has a public key'
        : 'give intake_public_key to the writers, for `createIntake` or `eaas-files encrypt --public-key`',
  }),
  'key rotate': call('POST /v1/keys/:key_id/rotate', {
    about: 'Add a version to a key. New data keys use the new version, and older versions still decrypt.',
    fields: { key_version: { about: 'rotate only if this is the version of the key' } },
    next: ({ intake }) =>
      intake
        ? showPublicKey
        : '`eaas key show :key_id --tenant :tenant` shows how often the older versions are still used',
  }),
  'key disable': call('POST /v1/keys/:key_id/disable', {
    about: 'Disable a key immediately, on every server. A disabled key can still decrypt but not encrypt.',
    next: () =>
      '`eaas key enable :key_id --tenant :tenant` enables the key again, `eaas key destroy :key_id --tenant :tenant` destroys it',
  }),
  'key enable': call('POST /v1/keys/:key_id/enable', {
    next: () => '`eaas key show :key_id --tenant :tenant` shows how the key is used',
  }),
  'key restore': call('POST /v1/keys/:key_id/restore', {
    about: 'Cancel the destruction of a key before its material is erased. The key is then disabled.',
    next: () => '`eaas key enable :key_id --tenant :tenant` lets the key encrypt again',
  }),
  'key min-version': call('PUT /v1/keys/:key_id/min-version', {
    about:
      'Refuse what is under older versions of a key. Every server does so at once. The version can be lowered again.',
    examples: [' 3'],
    fields: { key_version: { flags: '<version>', about: 'the oldest version that opens' } },
    next: () => '`eaas key show :key_id --tenant :tenant` shows which versions are used',
  }),
  'audit checkpoint': call('GET /v1/audit/checkpoint', {
    about:
      "Print a signed checkpoint of the head of a tenant's log. Keep the checkpoint outside the service: `audit verify " +
      '--checkpoint-file` later proves that the log still extends it.',
    examples: [' > acme.checkpoint', ' --json'],
    print: showCheckpoint,
  }),
};

/** Makes the commands of a group, such as `key`. */
export const callsOf = (group: string) =>
  Object.entries(calls).flatMap(([name, said]) =>
    name.startsWith(`${group} `) ? [commandOf(name, said)] : [],
  );
