import postgres from 'postgres';
import { expect, test } from 'vitest';
import { isConnectionLost, isDatabaseFault, isDriverFault } from './faults.ts';

const ofPostgres = (code: string) =>
  Object.assign(Object.create(postgres.PostgresError.prototype) as Error, { code, message: '', stack: '' });
const withCode = (code: string) =>
  Object.assign(new Error(code), { code, stack: 'Error\n    at Array.map (<anonymous>)' });
const driver = 'file:///app/node_modules/postgres/src/connection.js:123:4';
const thrownAt = (...places: string[]) =>
  Object.assign(new TypeError('oops'), { stack: ['TypeError: oops', ...places].join('\n    at ') });

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
  ['the driver', true, thrownAt(driver)],
  [
    'the driver on Windows',
    true,
    thrownAt('write (C:\\app\\node_modules\\postgres\\src\\connection.js:1:1)'),
  ],
  ['Node, called by the driver', true, thrownAt('new Promise (<anonymous>)', 'write (node:net:1:1)', driver)],
  ['our code', false, thrownAt('file:///app/src/store/postgres/keys.js:1:1')],
  ['our code, called by the driver', false, thrownAt('file:///app/src/jobs/purge.js:1:1', driver)],
  ['a full disk', false, withCode('ENOSPC')],
  ['too many open files', false, Object.assign(withCode('EMFILE'), { stack: undefined })],
  ['a connection of another library', false, withCode('ECONNRESET')],
])('an uncaught error of %s comes from the driver: %s', (_, expected, error) => {
  expect(isDriverFault(error)).toBe(expected);
});
