import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { problems } from '@eaas/protocol/wire';
import { readConfig, variables } from '../../packages/cli/src/config.ts';
import { variablesOf } from '../../packages/cli/src/variables.ts';
import { defaultDataDirectory } from '../../packages/dev/src/data-directory.ts';
import { notReady } from '../../packages/server/src/http/health.ts';
import { sources } from '../house-rules/files.ts';
import { codesIn, read, readManual, root, rowsUnder } from '@eaas/test-kit/markdown';

const manual = readManual();
const firstCodes = (head: string): string[] =>
  rowsUnder(manual, head).flatMap(([cell = '']) => codesIn(cell));
const sorted = (values: readonly string[]): string[] => values.toSorted();

describe('environment variables', () => {
  const rows = rowsUnder(manual, 'variable');

  const ofApps = variablesOf.apps.map(({ name }) => name);

  test('the table has each variable that the program reads, and each one that apps and the other commands read', () => {
    expect(variablesOf.service.map(({ name }) => name)).toEqual(variables);
    const readers = /packages\/(?:sdk|files|local)\/src\/.*(?:environment\.node|connection|file-opener)\.ts$/;
    const code = sources.filter(({ path }) => readers.test(path)).map(({ text }) => text);
    const read = code.join('').match(/\bEAAS_[A-Z_]*[A-Z]\b/g) ?? [];
    expect(read).toContain('EAAS_HALF');
    expect(read.filter((name) => !ofApps.includes(name) && name !== 'EAAS_LOCAL_NEW')).toEqual([]);
  });

  test('the environment variables have the documented defaults', () => {
    const defaults = Object.fromEntries(
      rows.map(([name = '', value = '']) => [codesIn(name)[0], codesIn(value)[0]]),
    );
    const { host, port, auditRetentionMonths, logLevel, unencrypted } = readConfig({});
    expect(defaults).toMatchObject({
      EAAS_HOST: host,
      EAAS_PORT: String(port),
      EAAS_DATA_DIR: defaultDataDirectory,
      EAAS_AUDIT_RETENTION_MONTHS: String(auditRetentionMonths),
      EAAS_LOG_LEVEL: logLevel,
      EAAS_INSECURE_HTTP: unencrypted ? '1' : '0',
    });
  });

  test('the operator manual names only environment variables that exist', () => {
    const ours = /\b(?:EAAS_[A-Z_]+|DATABASE_URL)\b/g;
    const named = new Set(manual.match(ours));
    expect([...named].filter((name) => ![...variables, ...ofApps].includes(name))).toEqual([]);
  });
});

test('the manual has the error codes that need the operator, with their status', () => {
  const rows = rowsUnder(manual, '`code`').map(([code = '', status]) => [codesIn(code)[0], Number(status)]);
  const statuses = new Map(Object.entries(problems).map(([code, { status }]) => [code, status]));
  expect(rows.filter(([code, status]) => statuses.get(String(code)) !== status)).toEqual([]);
  const ofServer = Array.from(statuses).filter(([, status]) => status >= 500);
  expect(ofServer.filter(([code]) => !rows.some(([listed]) => listed === code))).toEqual([]);
});

test('the runbook explains every reason that /readyz returns', () => {
  const explained = firstCodes('reason').filter((reason) => reason.includes(' '));
  expect(sorted(explained)).toEqual(sorted(Object.values(notReady)));
});

test('the page of several servers has the time of a connection, and the bytes of an entry that are measured', () => {
  const page = read('docs/operating/replicas.md');
  const connecting = /connect_timeout: timeLimit\((\d+)\)/.exec(read('packages/server/src/postgres/sql.ts'));
  const [, limit] = rowsUnder(page, 'what').find(([what]) => what?.startsWith('opening a connection')) ?? [];
  expect(limit).toMatch(new RegExp(`^${connecting?.[1]} s;`));
  const [each, measured] = [page, read('docs/limits.md')].map((text) => /about (\d+) bytes/.exec(text)?.[1]);
  expect([each, measured]).toEqual([measured, expect.any(String)]);
});

test('the unit of a server keeps secrets out of core dumps and swap', () => {
  expect(read('docs/operating/production.md')).toMatch(/^LimitCORE=0\nMemorySwapMax=0$/m);
});

test('the program writes every log line that the manual quotes', () => {
  const quoted = Array.from(manual.matchAll(/"msg":"([^"`]+)/g), ([, text = '']) =>
    text.replace(/\s+/g, ' '),
  );
  expect(quoted.length).toBeGreaterThan(5);
  const filesIn = (folder: string) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`);
  const files = ['packages/server/src', 'packages/log/src'].flatMap(filesIn);
  const code = files
    .filter((name) => /(?<!\.test)\.ts$/.test(name))
    .map(read)
    .join('');
  expect(quoted.filter((text) => !code.includes(`'${text}`))).toEqual([]);
});
