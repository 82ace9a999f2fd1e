import * as fc from 'fast-check';
import type * as z from 'zod/mini';
import { describe, expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import type { Endpoint } from './endpoint.ts';
import { endpoints, type Route } from './endpoints.ts';
import { explain } from './explain.ts';

function explained(schema: z.ZodMiniType | undefined, input: unknown): string {
  const result = schema?.safeParse(input);
  return result?.error ? explain(result.error, input) : 'accepted';
}

describe('an explanation', () => {
  test.each<[string, Route, unknown]>([
    ['the body is missing', 'POST /v1/encrypt', undefined],
    ['`plaintext` is missing', 'POST /v1/encrypt', { key_id: 'k' }],
    [
      '`plaintext` has more than 65536 bytes of UTF-8',
      'POST /v1/encrypt',
      { plaintext: 'é'.repeat(32_769), key_id: 'k' },
    ],
    ['unknown field `contxt`', 'POST /v1/encrypt', { plaintext: '', key_id: 'k', contxt: {} }],
    [
      '`context` must have only strings as values',
      'POST /v1/encrypt',
      { plaintext: '', key_id: 'k', context: { a: 1 } },
    ],
    ['`key_version` must be a whole number', 'POST /v1/keys/:key_id/rotate', { key_version: 1.5 }],
    ['`key_version` is out of range', 'POST /v1/keys/:key_id/rotate', { key_version: 1e300 }],
    ['`dek` must be 32 bytes in base64', 'POST /v1/keys/:key_id/wrap', { dek: 'AAAA' }],
    ['`name` must have 1 to 128 characters', 'POST /v1/keys', { name: '' }],
    ['`name` has a control character', 'POST /v1/keys', { name: 'a\n' }],
    [
      '`rotation_policy.interval_days` must be a whole number from 1 to 3650',
      'POST /v1/keys',
      { name: 'a', rotation_policy: { interval_days: 0 } },
    ],
    [
      'unknown field `days` in `rotation_policy`',
      'POST /v1/keys',
      { name: 'a', rotation_policy: { interval_days: 1, days: 1 } },
    ],
    [
      '`permissions` has a duplicate',
      'POST /v1/api-keys',
      { name: 'a', permissions: ['encrypt', 'encrypt'] },
    ],
    [
      '`public_key` is a private key: send only `kty`, `n` and `e`',
      'POST /v1/keys/:key_id/export',
      { public_key: { kty: 'RSA', n: 'AQAB', e: 'AQAB', d: 'AQAB' } },
    ],
  ])('the explanation is: %s', (sentence, route, input) => {
    const { body }: Endpoint = endpoints[route];
    expect(explained(body, input)).toBe(sentence);
  });

  test('the explanation of an invalid request never contains a value of the request', () => {
    const schemas = Object.values<Endpoint>(endpoints).flatMap(({ body, query, item }) => [
      body,
      query,
      item,
    ]);
    const names = schemas.flatMap((schema) => Object.keys(schema?.shape ?? {}));
    const secret = 'S3CR3T';
    const text = fc.constantFrom(
      secret,
      `${secret}=`,
      `eaas${secret}`,
      `\n${secret}`,
      `\ud800${secret}`,
      '',
      secret.repeat(20_000),
    );
    const leaf = fc.oneof(text, fc.constantFrom(null, true, 90_210.5, -90_210, 90_210e300));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names, 'kty', 'n', 'e', 'd', 'unknown'), tie('value'), {
          maxKeys: 5,
        }),
      ),
    }));
    fc.assert(
      fc.property(fc.constantFrom(...schemas), value, (schema, input) => {
        expect(explained(schema, input)).not.toMatch(/S3CR3T|90210|9\.021/);
      }),
      { numRuns: runs(3_000) },
    );
  });
});
