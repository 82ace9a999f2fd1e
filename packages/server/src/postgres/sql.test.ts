import { expect, test } from 'vitest';
import { formatArray, openPool } from './sql.ts';

test('the host of a database URL can be an IPv6 address', () => {
  const hostAndPort = (url: string) => {
    const { host, port } = openPool(url, 1).options;
    return { host, port };
  };
  expect(hostAndPort('postgres://server@[fd00::2]:6543/eaas')).toEqual({ host: ['fd00::2'], port: [6543] });
  expect(hostAndPort('postgres://server@[::1]/eaas')).toEqual({ host: ['::1'], port: [5432] });
});

test('a list is written as PostgreSQL reads it', () => {
  expect(formatArray([])).toBe('{}');
  expect(formatArray([1, null, 'NULL', 'a "b" \\ c', ''])).toBe('{"1",NULL,"NULL","a \\"b\\" \\\\ c",""}');
});
