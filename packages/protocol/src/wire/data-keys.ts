// The calls of envelope mode, where the service sees data keys and never a plaintext, and the export of a key.
import * as z from 'zod/mini';
import type { Endpoints, Group } from './endpoint.ts';
import { base64, context, count, dek, integer, subjectId, usedKey, uuid, who } from './primitives.ts';
import { rsaPublicKey } from './rsa-public-key.ts';
import { samples } from './samples.ts';

const user = { user: who.user };
const named = { context: z.optional(context), subject: who.subject };

/** What a call and an item of a batch have. A batch names the user once, for all items. */
export const items = {
  wrap: z.strictObject({ dek, ...named }),
  unwrap: z.strictObject({ wrapped_key: base64, key_version: z.optional(z.int()), ...named }),
  rewrap: z.strictObject({ wrapped_key: base64, ...named }),
};

export const dataKeys = {
  'POST /v1/keys/:key_id/wrap': {
    forUsers: true,
    permission: 'encrypt',
    summary: 'Wrap a data key',
    body: z.extend(items.wrap, user),
    output: z.object({ wrapped_key: z.string(), ...usedKey }),
  },
  'POST /v1/keys/:key_id/unwrap': {
    forUsers: true,
    permission: 'decrypt',
    summary: 'Unwrap a data key',
    body: z.extend(items.unwrap, user),
    output: z.object({ dek: z.string(), ...usedKey }),
    secret: true,
  },
  'POST /v1/keys/:key_id/rewrap': {
    forUsers: true,
    permission: 'encrypt',
    summary: 'Wrap a data key under the newest version',
    body: z.extend(items.rewrap, user),
    output: z.object({ wrapped_key: z.string(), ...usedKey, rewrapped: z.boolean() }),
  },
  'POST /v1/keys/:key_id/export': {
    permission: 'keys.export',
    summary: 'Export a key',
    cost: 31,
    body: z.strictObject({
      public_key: rsaPublicKey,
      from_version: z.optional(integer(1)),
      subjects: z.optional(z.boolean()),
      from_subject: z.optional(subjectId),
    }),
    output: z.object({
      tenant_id: uuid,
      key_id: uuid,
      versions: z.array(z.object({ key_version: count, encrypted: z.string() })),
      next_version: z.nullable(count),
      hash_key: z.string(),
      subjects: z.optional(z.array(z.object({ subject_id: z.string(), encrypted: z.string() }))),
      next_subject: z.optional(z.nullable(z.string())),
      subjects_key: z.optional(z.string()),
    }),
    secret: true,
  },
} satisfies Endpoints;

/** What the reference says about these calls. */
export const aboutDataKeys = (): Group<typeof dataKeys> => {
  const { keyId, olderWrappedKey, tenantId, wrappedKey } = samples;
  const used = { key_id: keyId, key_version: 3 };
  const modulus = 'qMCPI2K1biyp2yHNLvIRlFpZ8J0g_p91'.repeat(16);
  const encrypted = `${'A'.repeat(510)}==`;
  return {
    title: 'Data keys',
    about: 'Envelope mode: encrypt locally; the service only wraps and unwraps.',
    fields: {
      e: 'The exponent: `AQAB`.',
      encrypted: 'The version’s 32 bytes, encrypted to the public key.',
      from_subject: 'The first subject to export, by its id; by default the first one.',
      from_version: 'The first version to export; 1 by default.',
      hash_key: 'The hash key’s 32 bytes, encrypted to the public key.',
      n: 'The modulus: 3,072 to 8,192 bits.',
      next_subject:
        'The `from_subject` of the next call. Null after the last page. Only with `subjects: true`.',
      next_version: 'The `from_version` of the next call. Null after the last page.',
      public_key: 'An RSA public key, as a JWK.',
      subjects_key:
        'The key of the ids of subjects, 32 bytes, encrypted to the public key. Only with `subjects: true`.',
      'exportKey.subjects':
        'Whether to export the subjects of the tenant too. In the response, these subjects.',
      'subjects.encrypted': 'The subject’s 32 bytes, encrypted to the public key.',
    },
    calls: {
      'POST /v1/keys/:key_id/wrap': {
        id: 'wrapKey',
        about:
          'Wraps a data key of 32 bytes under the newest version. Encrypt locally with the data key, and ' +
          'store `wrapped_key` beside the data. The plaintext never reaches the service. With `subject`, ' +
          'the data key opens only with the secret of that person, which the first wrap creates.',
        problems: ['key_state', 'subject_erased'],
        input: { dek: samples.dek },
        output: { wrapped_key: wrappedKey, ...used },
      },
      'POST /v1/keys/:key_id/unwrap': {
        id: 'unwrapKey',
        about:
          'Returns the data key after the audit entry was written. Responds with 403 if the `wrapped_key` ' +
          'is of another key or was altered, or if the `context` differs. A disabled key still unwraps. ' +
          'An intake key also unwraps data keys that writers wrapped with its public key. A data key that ' +
          'was wrapped with `subject` needs the same `subject`.',
        problems: ['key_state', 'wrapped_key_unauthentic', 'subject_erased'],
        input: { wrapped_key: wrappedKey },
        output: { dek: samples.dek, ...used },
      },
      'POST /v1/keys/:key_id/rewrap': {
        id: 'rewrapKey',
        about:
          'Wraps a data key under the newest version after a rotation. The data key does not leave the ' +
          'service, and the data does not change. If the data key is already wrapped under the newest ' +
          'version, `rewrapped` is false and `wrapped_key` is unchanged. A data key of a writer without ' +
          'credentials is always wrapped again, with `subject` under the secret of that person.',
        problems: ['key_state', 'wrapped_key_unauthentic', 'subject_erased'],
        input: { wrapped_key: olderWrappedKey },
        output: { wrapped_key: wrappedKey, ...used, rewrapped: true },
      },
      'POST /v1/keys/:key_id/export': {
        id: 'exportKey',
        about:
          'Exports the versions of an exportable key, each encrypted to an RSA public key (RSA-OAEP with ' +
          'SHA-256 and MGF1-SHA-256, no label), to leave the service or for escrow. A call returns at ' +
          'most 1,000 versions, oldest first. While `next_version` is a number, call again with ' +
          '`from_version` set to it. Each call writes one audit entry. With the private RSA key, the ' +
          'response decrypts without the service. With `subjects: true`, it also has the secrets of the ' +
          'tenant’s subjects that are not erased, at most 1,000, by ascending id: while `next_subject` is ' +
          'a text, call again with `from_subject` set to it. They belong to the whole tenant, so an API ' +
          'key that is limited to some keys gets 403.',
        problems: ['key_state'],
        input: { public_key: { kty: 'RSA', n: modulus, e: 'AQAB' } },
        output: {
          tenant_id: tenantId,
          key_id: keyId,
          versions: [{ key_version: 1, encrypted }],
          next_version: null,
          hash_key: encrypted,
        },
      },
    },
  };
};
