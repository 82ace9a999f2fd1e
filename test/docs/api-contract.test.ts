import { auditActions, endpoints, permissions, problems } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { codesIn, read, rowsUnder } from './markdown.ts';

const contract = read('docs/api-contract.md');
const firstCodes = (head: string): string[] =>
  rowsUnder(contract, head).flatMap(([cell = '']) => codesIn(cell));

test('the API contract describes exactly the endpoints of the protocol', () => {
  const named = codesIn(contract).filter((code) => /^[A-Z]+ \/v1\/[\w/:-]+$/.test(code));
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(endpoints).toSorted());
});

test('the API contract has every error code with its status', () => {
  const rows = rowsUnder(contract, 'code').map(([code = '', status]) => [codesIn(code)[0], Number(status)]);
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(Object.entries(problems).map(([code, { status }]) => [code, status])),
  );
});

test('the API contract has every permission and every audit action', () => {
  expect(firstCodes('permission').toSorted()).toEqual(permissions.toSorted());
  expect(firstCodes('action').toSorted()).toEqual(auditActions.toSorted());
});
