import { describe, expect, test } from 'vitest';
import { permissions, problems } from '@eaas/protocol/wire';
import { exitCodes, explainExitCodes } from '../../packages/server/src/cli/exit-codes.ts';
import { readConfig, variables } from '../../packages/server/src/config.ts';
import { codesIn, read, rowsUnder } from './markdown.ts';

// The tables of the operator's manual, held against the source.

const manual = read('packages/server/README.md');
const firstCodes = (head: string): string[] =>
  rowsUnder(manual, head).flatMap(([cell = '']) => codesIn(cell));
const sorted = (values: readonly string[]): string[] => values.toSorted();

describe('environment variables', () => {
  const rows = rowsUnder(manual, 'variable');

  test('are all there, and no other', () => {
    expect(firstCodes('variable')).toEqual(variables);
  });

  test('have the defaults that the manual says', () => {
    const defaults = Object.fromEntries(
      rows.map(([name = '', value = '']) => [codesIn(name)[0], codesIn(value)[0]]),
    );
    const { host, port, dataDirectory, auditRetentionMonths, logLevel, unencrypted } = readConfig({});
    expect(defaults).toMatchObject({
      EAAS_HOST: host,
      EAAS_PORT: String(port),
      EAAS_DATA_DIR: dataDirectory,
      EAAS_AUDIT_RETENTION_MONTHS: String(auditRetentionMonths),
      EAAS_LOG_LEVEL: logLevel,
      EAAS_INSECURE_HTTP: unencrypted ? '1' : '0',
    });
  });

  test('are written in the rest of the manual as they are', () => {
    const ours = /\b(?:EAAS_[A-Z_]+|DATABASE_URL)\b/g;
    const ofClients = ['EAAS_API_KEY'];
    const named = new Set(manual.match(ours));
    expect([...named].filter((name) => ![...variables, ...ofClients].includes(name))).toEqual([]);
  });
});

test('exit codes mean what --help says', () => {
  const rows = rowsUnder(manual, 'exit code').map(([code, meaning]) => `  ${code}  ${meaning}`);
  expect(`Exit codes:\n${rows.join('\n')}`).toBe(explainExitCodes());
  expect(rows).toHaveLength(Object.keys(exitCodes).length);
});

test('problem codes are all there, with their status', () => {
  const rows = rowsUnder(manual, '`code`').map(([code = '', status]) => [codesIn(code)[0], Number(status)]);
  expect(rows).toEqual(Object.entries(problems).map(([code, { status }]) => [code, status]));
});

test('permissions are all there, and no other', () => {
  expect(firstCodes('permission')).toEqual(permissions);
});

test('the runbook explains every reason that a verification can name', () => {
  const source = read('packages/server/src/operations/verify/report.ts');
  const union = /export type Reason =\n((?: {2}\| '\w+'\n?)+);/.exec(source)?.[1] ?? '';
  const reasons = Array.from(union.matchAll(/'(\w+)'/g), ([, reason]) => reason ?? '');
  const explained = firstCodes('reason').filter((reason) => !reason.includes(' '));
  expect(reasons.length).toBeGreaterThan(20);
  expect(sorted(explained)).toEqual(sorted(reasons));
});

test('the runbook knows why a server is not ready', () => {
  const source = ['doors.ts', 'http/health.ts'].map((file) => read(`packages/server/src/${file}`)).join('');
  const reasons = firstCodes('reason').filter((reason) => reason.includes(' '));
  expect(reasons.filter((reason) => !source.includes(`'${reason}'`))).toEqual([]);
  expect(reasons).toHaveLength(4);
});

test('every metric that an alarm names is in the table', () => {
  const metrics = firstCodes('metric');
  const used = rowsUnder(manual, 'alarm').flatMap(
    ([, expression = '']) => expression.match(/eaas_\w+/g) ?? [],
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => !metrics.includes(name))).toEqual([]);
});
