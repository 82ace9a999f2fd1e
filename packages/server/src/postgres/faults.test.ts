import postgres from 'postgres';
import { expect, test } from 'vitest';
import { isConnectionLost, isDatabaseFault, isDriverFault } from './faults.ts';

const ofPostgres = (code: string) =>
  Object.assign(Object.create(postgres.PostgresError.prototype) as Error, { code, message: '', stack: '' });
const withCode = (code: string) =>
  Object.assign(new Error(code), { code, stack: 'Error\n    at Array.map (<anonymous>)' });
const thrownAt = (frame: string) =>
  Object.assign(new TypeError('oops'), { stack: `TypeError: oops\n    at ${frame}` });

test.each([
  ['a pool that was closed during a query', withCode('CONNECTION_DESTROYED'), true],
  ['a pooler without a connection to its server', ofPostgres('08P01'), true],
  ['a shutdown', ofPostgres('57P01'), true],
  ['a parameter that does not parse', ofPostgres('22P02'), true],
  ['a constraint', ofPostgres('23505'), false],
  ['a refused connection', withCode('ECONNREFUSED'), false],
])('the error of %s causes the pool to be replaced: %s', (_, error, expected) => {
  expect(isConnectionLost(error)).toBe(expected);
});

test.each([
  [withCode('ECONNREFUSED'), true],
  [ofPostgres('22P02'), true],
  [ofPostgres('23505'), false],
  [new TypeError('oops'), false],
])('%s counts as a fault of the database: %s', (error, expected) => {
  expect(isDatabaseFault(error)).toBe(expected);
});

test.each([
  ['file:///app/node_modules/postgres/src/connection.js:123:4', true],
  ['nextWrite (C:\\app\\node_modules\\postgres\\src\\connection.js:1:1)', true],
  ['file:///app/src/store/postgres/keys.js:1:1', false],
])('an error thrown at %s counts as a fault of the driver: %s', (frame, expected) => {
  expect(isDriverFault(thrownAt(frame))).toBe(expected);
});
