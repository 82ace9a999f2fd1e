import { newDek } from '@eaas/test-kit/faults/load';
import { fitting, largestApiKey, type World } from './world.ts';

interface IllegalCall {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly batch?: true;
}

export function illegal({ plain, versioned, keyIds }: World): IllegalCall[] {
  const long = 'x'.repeat(2_000_000);
  const post = (what: string, path: string, body: object): IllegalCall => ({
    what,
    method: 'POST',
    path,
    body,
  });
  const apiKey = (what: string, fields: object): IllegalCall =>
    post(`API key with ${what}`, '/v1/api-keys', { ...largestApiKey(keyIds), ...fields });
  const items = (what: string, kind: string, item: object, count?: number): IllegalCall => ({
    ...post(`batch of ${what}`, `/v1/batch/${kind}`, {
      items: count === undefined ? fitting(item) : Array.from({ length: count }, () => item),
    }),
    batch: true,
  });
  const deep = JSON.parse(`${'{"a":'.repeat(7)}1${'}'.repeat(7)}`) as object;
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, nth) => [`n${nth}`, nth]));
  return [
    apiKey('an origin of 2 MB', { allowed_origins: [`x://${long}`] }),
    apiKey('400 origins of 4 kB', {
      allowed_origins: Array.from({ length: 400 }, () => `x://${'a'.repeat(4_000)}`),
    }),
    apiKey('10,000 origins', {
      allowed_origins: Array.from({ length: 10_000 }, (_, nth) => `https://${nth}.a`),
    }),
    apiKey('10,000 keys', { key_ids: Array.from({ length: 10_000 }, () => crypto.randomUUID()) }),
    apiKey('10,000 times one key', { key_ids: Array.from({ length: 10_000 }, () => plain) }),
    apiKey('10,000 permissions', { permissions: Array.from({ length: 10_000 }, () => 'encrypt') }),
    apiKey('a name of 2 MB', { name: long }),
    post('key with a name of 2 MB', '/v1/keys', { name: long }),
    post('plaintext of 2 MB', '/v1/encrypt', { key_id: plain, plaintext: long }),
    post('value of 2 MB', '/v1/hash', { key_id: plain, value: long }),
    post('key id of 2 MB', '/v1/hash', { key_id: long, value: 'x' }),
    post('context of 2 MB', `/v1/keys/${plain}/wrap`, { dek: newDek(), context: { n: long } }),
    post('context of 9,000 names', `/v1/keys/${plain}/wrap`, {
      dek: newDek(),
      context: Object.fromEntries(Array.from({ length: 9_000 }, (_, nth) => [`n${nth}`, ''])),
    }),
    post('ciphertext of 2 MB', '/v1/decrypt', {
      key_id: plain,
      key_version: 1,
      ciphertext: 'A'.repeat(2_000_000),
    }),
    post('wrapped key of 2 MB', `/v1/keys/${plain}/unwrap`, { wrapped_key: 'A'.repeat(2_000_000) }),
    post('unknown field of 2 MB', '/v1/keys', { name: 'x', [long]: 1 }),
    post('modulus of 2 MB', `/v1/keys/${versioned}/export`, {
      public_key: { kty: 'RSA', e: 'AQAB', n: 'A'.repeat(2_000_000) },
    }),
    items('1,001 items', 'hash', { key_id: plain, value: 'x' }, 1_001),
    items('items of 8 kB that are none', 'wrap', { junk: 'x'.repeat(8_000) }),
    items('items with a context that is too long', 'wrap', {
      key_id: plain,
      dek: newDek(),
      context: { n: 'x'.repeat(8_000) },
    }),
    items('items of seven levels', 'unwrap', deep),
    items('items of 400 wrong fields', 'rewrap', many),
    items('items of unknown keys', 'unwrap', { key_id: crypto.randomUUID(), wrapped_key: 'A'.repeat(8_000) }),
    { what: 'list with a query of 15 kB', method: 'GET', path: `/v1/audit?key_id=${'a'.repeat(15_000)}` },
    { what: 'list with 3,000 parameters', method: 'GET', path: `/v1/audit?${'a=1&'.repeat(3_000)}` },
    { what: 'checkpoint of 15 kB', method: 'GET', path: `/v1/audit/verify?checkpoint=${'a'.repeat(15_000)}` },
    { what: 'offset of 16 digits', method: 'GET', path: '/v1/audit?offset=9007199254740991&action=key.wrap' },
    { what: 'path of 15 kB', method: 'GET', path: `/v1/keys/${'a'.repeat(15_000)}` },
  ];
}
