import { expect, test } from 'vitest';
import { unusableDatabase } from './cannot-start.ts';

test.each(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
  'the message for a database certificate of an unknown authority (%s) names NODE_EXTRA_CA_CERTS',
  (code) => {
    const error = Object.assign(new Error('unable to verify the certificate'), { code });
    expect(unusableDatabase(error, [])).toMatch(
      /^The database cannot be reached or used: unable to verify the certificate: set NODE_EXTRA_CA_CERTS to /,
    );
  },
);

test('the message for any other database error contains the message, the code or the name of that error', () => {
  const of = (error: Error) => unusableDatabase(error, ['EAAS_DATABASE_URL']);
  const message = 'The database of EAAS_DATABASE_URL cannot be reached or used:';
  expect(of(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBe(`${message} refused.`);
  expect(of(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe(`${message} ECONNREFUSED.`);
  expect(of(new TypeError(''))).toBe(`${message} TypeError.`);
});
