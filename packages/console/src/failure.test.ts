import { ServiceError } from '@eaas/sdk';
import { expect, test } from 'vitest';
import { failureOf } from './failure.ts';

test.each([
  ['network', 'away'],
  ['timeout', 'away'],
  ['unavailable', 'away'],
  ['unauthorized', 'expired'],
  ['permission_missing', 'forbidden'],
  ['origin_refused', 'refused'],
  ['name_taken', 'refused'],
] as const)('an error with the code `%s` is shown as a failure of the kind `%s`', (code, kind) => {
  expect(failureOf(new ServiceError(code, 'it says why'))).toMatchObject({ kind, detail: 'It says why.' });
});

test('a failure shows the request id of the error', () => {
  const error = new ServiceError('internal', 'No.', { requestId: 'r-1' });
  expect(failureOf(error)).toMatchObject({ kind: 'refused', detail: 'No.', requestId: 'r-1' });
});

test('an error from outside the SDK is shown as an error of the page', () => {
  expect(failureOf(new TypeError('x is undefined')).kind).toBe('broken');
  expect(failureOf('thrown').detail).toBe('The page threw a value that is not an error.');
});
