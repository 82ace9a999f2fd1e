import { apiKeys, keys, keyVersions, subjects, tenants } from '@eaas/service';
import { codesIn, read, readManual, rowsUnder } from '@eaas/test-kit/markdown';
import { expect, test } from 'vitest';
import { issuers } from '../../packages/service/src/plugins/issuers/table.ts';
import { findingWords } from './finding-words.ts';

/** The words that the code of the service says, with those for rows, which it makes from the names of tables. */
function saidByService(planted = ''): string[] {
  const verify = ['verify', 'entries', 'scan-rows'].map((name) => `packages/service/src/verify/${name}.ts`);
  const ofLog = ['packages/log/src/proofs.ts'];
  const code = [...verify, ...ofLog].map(read).join('') + planted;
  const literals = code.match(/(?<=')(?:contradiction|[a-z]+(?:_[a-z]+)+)(?=')/g) ?? [];
  const others = new Set(['put_back', 'not_found']);
  const ofRows = [tenants, keys, keyVersions, apiKeys, issuers, subjects].flatMap(({ name, record }) =>
    ['changed', ...(record ? ['put_back'] : [])].map((what) => `${name.slice(0, -1)}_${what}`),
  );
  const all = new Set([...literals.filter((word) => !others.has(word)), ...ofRows, 'tenant_missing']);
  return [...all].toSorted();
}

function saidByAudit(planted = ''): string[] {
  const [, union = ''] = /type AuditFindingCode =([^;]+);/.exec(read('packages/audit/src/findings.ts')) ?? [];
  return (union + planted).match(/(?<=^ +\| ')\w+(?=')/gm)?.toSorted() ?? [];
}

test('the service says the words of the list, and a stranger among them is found', () => {
  expect(saidByService()).toEqual(findingWords('service'));
  expect(saidByService("report(findings, 'entry_altered', id)")).not.toEqual(findingWords('service'));
});

test('`@eaas/audit` says the words of the list, and a stranger among them is found', () => {
  expect(saidByAudit()).toEqual(findingWords('audit'));
  expect(saidByAudit("\n  | 'entry_altered'")).not.toEqual(findingWords('audit'));
});

test('the runbook explains every word of the service, and the page for developers every word of `@eaas/audit`', () => {
  const inCodes = (page: string, head: string) =>
    rowsUnder(page, head).flatMap(([cell = '']) => codesIn(cell));
  const explained = inCodes(readManual(), 'reason').filter((reason) => !reason.includes(' '));
  expect(explained.toSorted()).toEqual(findingWords('service'));
  expect(inCodes(read('packages/sdk/docs/audit.md'), 'finding').toSorted()).toEqual(findingWords('audit'));
});
