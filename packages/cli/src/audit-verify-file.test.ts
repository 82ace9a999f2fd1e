import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry } from '@eaas/audit';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { read } from '@eaas/test-kit/markdown';
import { verifyEntries } from './audit-verify-file.ts';

const lines = read('examples/tampered-log/acme.original.ndjson').trimEnd().split('\n');
const entries = lines.map((line) => JSON.parse(line) as AuditEntry);
const file = join(await newDirectory(), 'acme.ndjson');

/** Verifies the file from one entry to another against the head at an entry, which is another one with `changes`. */
async function verify(first: number, last: number, id: number, changes: object = {}) {
  await writeFile(file, `${lines.slice(first - 1, last).join('\n')}\n`);
  const { tenant_id: tenantId = '', hash = '' } = entries[id - 1] ?? {};
  const stated = {
    tenantId,
    id,
    hash: Uint8Array.from(Buffer.from(hash, 'hex')),
    by: 'proof',
    ...changes,
  } as const;
  return (await verifyEntries(file, stated)).errors;
}

test.each([
  ['has the head', 1, 7, {}, []],
  ['ends before the head', 1, 4, {}, ['proof_ahead']],
  ['has another entry', 1, 7, { hash: new Uint8Array(32) }, ['proof_mismatch']],
  ['begins after the head', 6, 7, {}, ['proof_before_file']],
  ['is the log of another tenant', 1, 7, { tenantId: 'another' }, ['proof_of_other_tenant']],
  ['begins after the head of a checkpoint', 6, 7, { by: 'checkpoint' }, ['checkpoint_before_file']],
])('a file that %s', async (_, first, last, changes, reasons) => {
  const errors = await verify(first, last, 5, changes);
  expect(errors).toEqual(reasons.map((reason) => ({ id: 5, reason })));
});

const second = (edit: (line: string) => string) => lines.with(1, edit(lines[1] ?? ''));
const altered = { id: 2, reason: 'entry_altered' };

test.each<[string, readonly string[], readonly object[]]>([
  ['an altered entry', second((line) => line.replace('key.wrap', 'key.hash')), [altered]],
  [
    'an altered first entry',
    lines.with(0, lines[0]?.replace('create', 'wrap') ?? ''),
    [{ ...altered, id: 1 }],
  ],
  ['an entry less', lines.toSpliced(2, 1), [{ id: 3, reason: 'entry_missing' }]],
  ['an entry twice', lines.toSpliced(2, 0, lines[1] ?? ''), [{ id: 2, reason: 'entry_repeated' }]],
  ['a member that no hash covers', second((line) => line.replace('{', '{"note":"approved",')), [altered]],
  [
    'a name in another spelling',
    second((line) => line.replace(/\}$/, String.raw`,"\u0061ctor":"x"}`)),
    [altered],
  ],
  ['a name twice, of which the last counts', second((line) => line.replace('{', '{"actor":"x",')), []],
  ['other spaces', lines.map((line) => line.replace('"id":', ' "id" : ')), []],
  ['its end cut off, which only a head shows', lines.slice(0, 3), []],
])('a file with %s', async (_, changed, errors) => {
  await writeFile(file, `${changed.join('\n')}\n`);
  expect((await verifyEntries(file, undefined)).errors).toEqual(errors);
});
