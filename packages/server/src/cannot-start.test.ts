import { expect, test } from 'vitest';
import { databaseReasonOf } from './cannot-start.ts';

test.each(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
  'the reason for a database certificate of an unknown authority (%s) names NODE_EXTRA_CA_CERTS',
  (code) => {
    const error = Object.assign(new Error('unable to verify the certificate'), { code });
    expect(databaseReasonOf(error)).toMatch(/^unable to verify the certificate: set NODE_EXTRA_CA_CERTS to /);
  },
);

test('other reasons are the message, the code or the name of the error', () => {
  expect(databaseReasonOf(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBe('refused');
  expect(databaseReasonOf(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  expect(databaseReasonOf(new TypeError(''))).toBe('TypeError');
});
