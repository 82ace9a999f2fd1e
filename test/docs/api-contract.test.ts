import { endpoints } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { codesIn, read, rowsUnder } from '@eaas/test-kit/markdown';
import { generated } from './generated.ts';

const contract = read('docs/api-contract.md');
const firstCodes = (head: string): string[] =>
  rowsUnder(contract, head).flatMap(([cell = '']) => codesIn(cell));

test.each(Object.entries(generated()))(
  '%s has what it is generated from (if not, run `npm run generate`)',
  (path, text) => {
    expect(read(path)).toBe(text);
  },
);

test('the API contract describes exactly the endpoints of the protocol', () => {
  const named = codesIn(contract).filter((code) => /^[A-Z]+ \/v1\/[\w/:-]+$/.test(code));
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(endpoints).toSorted());
});

test('the API contract explains every member of `metadata` that is no field of a record', () => {
  const explained = firstCodes('`metadata` member');
  const fields = ['a key', 'an API key', 'an issuer'].flatMap((one) => firstCodes(`field of ${one}`));
  const known = new Set([...explained, ...fields]);
  const recorded = new Set(rowsUnder(contract, 'action').flatMap(([, , members = '']) => codesIn(members)));
  expect(recorded.size).toBeGreaterThan(30);
  expect(explained.filter((name) => !recorded.has(name))).toEqual([]);
  expect([...recorded].filter((name) => !known.has(name))).toEqual([]);
});
