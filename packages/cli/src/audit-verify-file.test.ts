import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry } from '@eaas/audit';
import { entryDigest } from '@eaas/protocol/audit';
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
    hash,
    by: 'proof',
    ...changes,
  } as const;
  return (await verifyEntries(file, stated)).errors;
}

test.each([
  ['has the head', 1, 7, {}, []],
  ['ends before the head', 1, 4, {}, ['proof_mismatch']],
  ['has another entry', 1, 7, { hash: '00'.repeat(32) }, ['proof_mismatch']],
  ['begins after the head', 6, 7, {}, ['proof_before_file']],
  ['is the log of another tenant', 1, 7, { tenantId: 'another' }, ['proof_of_other_tenant']],
  ['begins after the head of a checkpoint', 6, 7, { by: 'checkpoint' }, ['checkpoint_before_file']],
])('a file that %s', async (_, first, last, changes, reasons) => {
  const errors = await verify(first, last, 5, changes);
  expect(errors).toEqual(reasons.map((reason) => ({ id: 5, reason })));
});

const second = (edit: (line: string) => string) => lines.with(1, edit(lines[1] ?? ''));
const altered = { id: 2, reason: 'entry_changed' };

test.each<[string, readonly string[], readonly object[]]>([
  ['an altered entry', second((line) => line.replace('key.wrap', 'key.hash')), [altered]],
  [
    'an altered first entry',
    lines.with(0, lines[0]?.replace('create', 'wrap') ?? ''),
    [{ ...altered, id: 1 }],
  ],
  ['an entry less', lines.toSpliced(2, 1), [{ id: 3, reason: 'entry_missing' }]],
  ['an entry twice', lines.toSpliced(2, 0, lines[1] ?? ''), [{ id: 2, reason: 'entry_unexpected' }]],
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

const digestOf = (entry: AuditEntry): string => Buffer.from(entryDigest(entry)).toString('hex');
const partial = (...hides: readonly number[]): string[] =>
  entries.map((entry, at) =>
    hides.includes(entry.id) ? JSON.stringify({ id: entry.id, digest: digestOf(entry) }) : (lines[at] ?? ''),
  );

test.each<[string, readonly string[], object]>([
  ['of which a part is shown', partial(1, 2, 4, 7), { hidden: 4, first_id: 1, last_id: 7, errors: [] }],
  [
    'with a hidden entry less',
    partial(2, 3).toSpliced(2, 1),
    { errors: [{ id: 3, reason: 'entry_missing' }] },
  ],
  [
    'with another digest',
    partial(2).with(1, JSON.stringify({ id: 2, digest: 'ab'.repeat(32) })),
    { errors: [{ id: 3, reason: 'entry_changed' }] },
  ],
])('a file %s is verified with --partial alone', async (_, changed, verdict) => {
  await writeFile(file, `${changed.join('\n')}\n`);
  expect(await verifyEntries(file, undefined, { isPartial: true })).toMatchObject(verdict);
  await expect(verifyEntries(file, undefined)).rejects.toThrow(
    /^The file .* is refused: entry \d is hidden: pass --partial/,
  );
});

test('the head of a partial file can be that of a hidden entry', async () => {
  await writeFile(file, `${partial(5, 6).join('\n')}\n`);
  const { tenant_id: tenantId = '', hash = '' } = entries[5] ?? {};
  const head = (id: number) => ({ tenantId, id, hash });
  const verify = async (id: number) => (await verifyEntries(file, head(id), { isPartial: true })).errors;
  expect(await verify(6)).toEqual([]);
  expect(await verify(5)).toEqual([{ id: 5, reason: 'checkpoint_mismatch' }]);
});

test.each([
  ['has another member', { id: 2, digest: 'ab'.repeat(32), actor: 'me' }, 'line 2 is'],
  ['has no digest', { id: 2, digest: 'AB' }, 'line 2 is'],
])('a hidden entry that %s is no line of a file', async (_, entry, message) => {
  await writeFile(file, `${lines.with(1, JSON.stringify(entry)).join('\n')}\n`);
  await expect(verifyEntries(file, undefined, { isPartial: true })).rejects.toThrow(message);
});

test('a file that an earlier version exported is refused', async () => {
  const without = (name: string, value: unknown): unknown => (name === 'salt' ? undefined : value);
  await writeFile(file, entries.map((entry) => `${JSON.stringify(entry, without)}\n`).join(''));
  await expect(verifyEntries(file, undefined)).rejects.toThrow(
    'have no salts, because an earlier version wrote them',
  );
});
