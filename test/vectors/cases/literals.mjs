// These values were calculated by hand or by another implementation.
import assert from 'node:assert/strict';
import { crc32, formatToken } from '../reference/api-key.mjs';
import { chainStart, entryHash } from '../reference/audit.mjs';
import { base64, fromHex, hex, hkdf, hmac, pae, utf8 } from '../reference/bytes.mjs';
import { encodeContext } from '../reference/context.mjs';
import { publicKeyOf, verifierKey } from '../reference/checkpoint.mjs';
import { sealSecret } from '../reference/sealed-secret.mjs';
import { K, T } from './places.mjs';

function formats() {
  assert.equal(hex(pae('a', null, '', 1)), '000000040000000161ffffffff000000000000000131');
  assert.equal(hex(encodeContext(null)), '00000000');
  assert.equal(hex(encodeContext({})), '00000000');
  assert.equal(formatToken(Buffer.alloc(32)), `eaas_sk_${'0'.repeat(43)}4C34ms`);
  const zeros = { ikm: Buffer.alloc(32), salt: Buffer.alloc(24), secret: Buffer.alloc(32) };
  assert.equal(
    base64(sealSecret({ ...zeros, purpose: 'dek', tenant: T, key: K, version: 1, context: null })),
    'AQEAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAfSDqVl/vlx7F/fWZTrknaWqkJwZw3dd3lFUihYmU0ErAkUPofX1BCYG286dN0iGm',
  );
}

function auditChain() {
  const start = chainStart(T);
  assert.equal(hex(start), 'ce30f7bc0eaaacf8db0d02626c76192d2bf883b0c0bc1fd5f169e1029635ae54');
  const entry = {
    id: 1,
    action: 'key.create',
    key_id: K,
    key_version: 1,
    actor: 'operator',
    ip_address: null,
    created_at: '2026-08-11T00:00:00.000Z',
  };
  assert.equal(
    hex(entryHash(start, T, entry, '{"key_version":1}')),
    '5d14b06f079bc67fed29473a08e7440de07948ce80b3994ab0b3dc7435fadc70',
  );
}

/**
 * Published test values: RFC 5869 (case 3), RFC 4231 (case 2), the check value of CRC-32, RFC 8032 (test 1), and the
 * verifier key of sum.golang.org.
 */
function standards() {
  assert.equal(
    hex(hkdf(fromHex('0b'.repeat(22)), Buffer.alloc(0), Buffer.alloc(0), 42)),
    '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  );
  assert.equal(
    hex(hmac(utf8('Jefe'), utf8('what do ya want for nothing?'))),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
  assert.equal(crc32(utf8('123456789')), 0xcbf43926);
  assert.equal(
    hex(publicKeyOf(fromHex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'))),
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  );
  const sumdb = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';
  const publicKey = Buffer.from(sumdb.slice(24), 'base64').subarray(1);
  assert.equal(verifierKey('sum.golang.org', publicKey), sumdb);
}

export function assertLiterals() {
  formats();
  auditChain();
  standards();
}
