import { ServiceError } from '@eaas/sdk';
import { expect, test } from 'vitest';
import { failureOf } from './failure.ts';

test.each([
  ['network', 'away'],
  ['timeout', 'away'],
  ['unavailable', 'away'],
  ['unauthorized', 'expired'],
  ['permission_missing', 'forbidden'],
  ['name_taken', 'refused'],
] as const)('%s is %s', (code, kind) => {
  expect(failureOf(new ServiceError(code, 'it says why'))).toMatchObject({ kind, detail: 'It says why.' });
});

test('the request id is there to be quoted', () => {
  const error = new ServiceError('internal', 'No.', { requestId: 'r-1' });
  expect(failureOf(error)).toMatchObject({ kind: 'refused', detail: 'No.', requestId: 'r-1' });
});

test('what is no error of the SDK is a mistake of the page', () => {
  expect(failureOf(new TypeError('x is undefined')).kind).toBe('broken');
  expect(failureOf('thrown').detail).toBe('Something unexpected was thrown.');
});
