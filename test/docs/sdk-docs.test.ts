import { expect, test } from 'vitest';
import { problems } from '@eaas/protocol/wire';
import { type CachePreset, limitsOf } from '../../packages/sdk/src/options.ts';
import { codesIn, read, rowsUnder } from './markdown.ts';

// The tables of the SDK's documents, held against the source.

const manual = read('packages/sdk/README.md');

/** The members of a union of literals, as they are written in a source. */
function membersOf(path: string, type: string): string[] {
  const [, union = ''] = new RegExp(`export type ${type} =\\n(.*?);\\n`, 's').exec(read(path)) ?? [];
  return Array.from(union.matchAll(/^ {2}\| '(\w+)'/gm), ([, member = '']) => member);
}

test('the table of errors names all codes of the client’s own, and none that there is not', () => {
  const named = rowsUnder(manual, 'error').flatMap(([, codes = '']) => codesIn(codes));
  const own = membersOf('packages/sdk/src/errors.ts', 'EaasErrorCode');
  expect(own).toHaveLength(6);
  expect(named).toEqual(expect.arrayContaining([...own, 'format', 'decryption', 'input']));
  const known = new Set([...own, ...Object.keys(problems), 'format', 'decryption', 'input']);
  expect(named.filter((code) => !known.has(code))).toEqual([]);
});

test('the presets of the cache are what the table says', () => {
  const rows = rowsUnder(manual, '`cache`');
  expect(rows).toHaveLength(3);
  for (const [name = '', encrypts = '', kept = ''] of rows) {
    const limits = limitsOf(codesIn(name)[0]?.slice(1, -1) as CachePreset);
    const [messages, time, bytes] = encrypts.split(', ').map((limit) => limit.replace(/ values/, ''));
    expect(messages).toBe(limits.messages.toLocaleString('en'));
    expect(time).toBe(
      limits.milliseconds === 60_000 ? 'a minute' : `${limits.milliseconds / 60_000} minutes`,
    );
    expect(bytes).toBe(limits.bytes === 2 ** 30 ? '1 GiB' : `${limits.bytes / 2 ** 20} MiB`);
    expect(kept).toBe(`${limits.entries.toLocaleString('en')}, for ${time}`);
    expect(limits.kept).toBe(limits.milliseconds);
  }
});

test('every finding of an audit is explained', () => {
  const table = rowsUnder(read('packages/sdk/docs/audit.md'), 'finding');
  const explained = table.flatMap(([code = '']) => codesIn(code));
  const codes = membersOf('packages/sdk/src/audit/findings.ts', 'AuditFindingCode');
  expect(codes.length).toBeGreaterThan(5);
  expect(explained.toSorted()).toEqual(codes.toSorted());
});

test('every option of the page’s client is in the table', () => {
  const [, known = ''] =
    /const known = \/\^\((.*)\)\$\//.exec(read('packages/sdk/src/browser/browser.ts')) ?? [];
  const rows = rowsUnder(read('packages/sdk/docs/browser.md'), 'option');
  expect(rows.flatMap(([names = '']) => codesIn(names)).toSorted()).toEqual(known.split('|').toSorted());
});

test('every option of a run is in the table', () => {
  const [, options = ''] =
    /export interface RunOptions.*?\{\n(.*?)^\}/ms.exec(read('packages/sdk/src/reencrypt/plan.ts')) ?? [];
  const names = Array.from(options.matchAll(/^ {2}readonly (\w+)/gm), ([, name = '']) => name);
  const rows = rowsUnder(read('packages/sdk/docs/reencrypt.md'), 'option');
  const explained = rows.flatMap(([cell = '']) => codesIn(cell));
  // `clock` is for tests.
  expect(explained.toSorted()).toEqual(names.filter((name) => name !== 'clock').toSorted());
});
