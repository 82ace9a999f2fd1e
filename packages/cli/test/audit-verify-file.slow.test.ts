import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eaas as program, run } from '@eaas/test-kit/program';
import { newDirectory } from '@eaas/test-kit/directory';
import { commandLine } from '@eaas/test-kit/command-line';
import { root } from '@eaas/test-kit/markdown';

const eaas = await commandLine();
const folder = await newDirectory();
const log = join(folder, 'acme.ndjson');
await eaas.json('tenant', 'create', '--name', 'acme');
for (const name of ['one', 'two', 'three": {"a\\', 'four'])
  await eaas.json('key', 'create', '--tenant', 'acme', '--name', name);
await eaas.json('audit', 'export', '--tenant', 'acme', '--out', log);
const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1);
const [signed] = await eaas.json<Record<'checkpoint' | 'verifier_key', string>>(
  'audit',
  'checkpoint',
  '--tenant',
  'acme',
);
const checkpoint = join(folder, 'acme.checkpoint');
await writeFile(checkpoint, signed?.checkpoint ?? '');
const pinned = ['--checkpoint-file', checkpoint, '--verifier-key', signed?.verifier_key ?? ''];

const verify = (file: string, ...args: readonly string[]) =>
  run([...program, 'audit', 'verify-file', file, ...args], {}, { cwd: folder });

async function verifyLines(changed: readonly string[], ...args: readonly string[]) {
  const file = join(folder, 'changed.ndjson');
  await writeFile(file, changed.map((line) => `${line}\n`).join(''));
  const { code, stdout } = await verify(file, ...args, '--json');
  const { valid, errors } = JSON.parse(stdout) as { valid: boolean; errors: unknown[] };
  expect(code).toBe(valid ? 0 : 1);
  return errors;
}

test('audit verify-file accepts a valid export, and warns if no checkpoint was passed', async () => {
  const note =
    'No checkpoint was passed: this shows only that the file is consistent, not that it is the original log.\n';
  for (const [options, stderr] of [
    [[], note],
    [pinned, ''],
  ] as const) {
    expect(await verify(log, ...options)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^[\da-f-]{36}: valid, entries 1 to 4\n$/) as string,
      stderr,
    });
  }
  expect(await verifyLines(lines, ...pinned)).toEqual([]);
});

test('audit verify-file says which entries a checkpoint proves', async () => {
  await eaas.json('key', 'create', '--tenant', 'acme', '--name', 'five');
  await eaas.json('audit', 'export', '--tenant', 'acme', '--out', log);
  const { code, stdout, stderr } = await verify(log, ...pinned);
  expect([code, stdout.slice(36)]).toEqual([0, ': valid, entries 1 to 5\n']);
  expect(stderr).toBe('The checkpoint proves the entries up to 4. A later checkpoint proves the others.\n');
});

test('audit verify-file names the entries that were altered, removed or repeated', async () => {
  const altered = lines.with(1, lines[1]?.replace('"two"', '"owt"') ?? '');
  expect(altered[1]).not.toBe(lines[1]);
  expect(await verifyLines(altered)).toEqual([{ id: 2, reason: 'entry_altered' }]);
  expect(await verifyLines(lines.with(0, lines[0]?.replace('operator', 'system') ?? ''))).toEqual([
    { id: 1, reason: 'entry_altered' },
  ]);
  expect(await verifyLines(lines.toSpliced(2, 1))).toEqual([{ id: 3, reason: 'entry_missing' }]);
  expect(await verifyLines(lines.toSpliced(2, 0, lines[1] ?? ''))).toEqual([
    { id: 2, reason: 'entry_repeated' },
  ]);
  const shown = await verify(join(folder, 'changed.ndjson'));
  expect(shown).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/: BROKEN, entries 1 to 4\n {2}entry 2: entry_repeated\n$/) as string,
  });
});

test('audit verify-file reports members that the hash of an entry does not cover', async () => {
  const noted = lines.with(1, lines[1]?.replace('{', '{"note":"approved",') ?? '');
  expect(await verifyLines(noted)).toEqual([{ id: 2, reason: 'entry_altered' }]);
  const named = (edit: (line: string) => string) => lines.with(1, edit(lines[1] ?? ''));
  const last = named((line) => line.replace(/\}$/, String.raw`,"\u0061ctor":"mallory"}`));
  expect(await verifyLines(last)).toEqual([{ id: 2, reason: 'entry_altered' }]);
  // Of members with the same name the last counts, and it is the true one here.
  expect(await verifyLines(named((line) => line.replace('{', '{"actor":"mallory",')))).toEqual([]);
  const spaced = lines.map((line) => line.replace('"id":', ' "id" : '));
  expect(await verifyLines(spaced, ...pinned)).toEqual([]);
});

test('audit verify-file detects a truncated log only with a checkpoint', async () => {
  expect(await verifyLines(lines.slice(0, 3))).toEqual([]);
  expect(await verifyLines(lines.slice(0, 3), ...pinned)).toEqual([{ id: 4, reason: 'checkpoint_ahead' }]);
  const late = lines.with(3, lines[3]?.replace(/[\da-f]{64}/, '0'.repeat(64)) ?? '');
  expect(await verifyLines(late, ...pinned)).toContainEqual({ id: 4, reason: 'checkpoint_mismatch' });
});

test('audit verify-file warns that it did not verify the hash of the first entry if earlier entries are missing', async () => {
  await writeFile(join(folder, 'late.ndjson'), lines.slice(1).join('\n'));
  const { code, stderr } = await verify('late.ndjson');
  expect(code).toBe(0);
  expect(stderr).toContain('The file begins with entry 2, so the hash of this entry was not verified.');
});

test('audit verify-file refuses files that are not an export, and checkpoints of a different verifier key', async () => {
  const [, checkpoint = '', , key = ''] = pinned;
  const other = key.replace(/\+[\da-f]{8}\+/, '+00000000+');
  await writeFile(join(folder, 'other.txt'), 'not an export\n');
  await writeFile(join(folder, 'empty.txt'), '');
  for (const [args, message] of [
    [['missing.txt'], 'The file missing.txt cannot be read (ENOENT): check its path and its permissions.'],
    [['other.txt'], 'Line 1 of other.txt is not an audit entry.'],
    [['.'], 'The file . cannot be read (EISDIR): check its path and its permissions.'],
    [['empty.txt'], 'The file empty.txt has no entries: pass a file that `eaas audit export` wrote.'],
    [[log, '--verifier-key', key], 'Pass both --checkpoint-file and --verifier-key, or neither.'],
    [[log, '--checkpoint-file', checkpoint, '--verifier-key', other], 'has no valid signature'],
  ] as const) {
    const { code, stdout, stderr } = await verify(args[0], ...args.slice(1));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  }
});

test('audit verify-file accuses nobody if it cannot compare the file', async () => {
  const blue = join(folder, 'blue.ndjson');
  await eaas.json('tenant', 'create', '--name', 'blue');
  await eaas.json('key', 'create', '--tenant', 'blue', '--name', 'one');
  await eaas.json('audit', 'export', '--tenant', 'blue', '--out', blue);
  const late = join(folder, 'late.ndjson');
  await writeFile(late, (await readFile(log, 'utf8')).split('\n').slice(4).join('\n'));
  const example = join(root, 'examples/tampered-log');
  const proof = ['--proof', join(example, 'acme.tlog-proof'), '--policy', join(example, 'policy.txt')];
  for (const [file, options, reason] of [
    [blue, pinned, '4: checkpoint_of_other_tenant'],
    [blue, proof, '7: proof_of_other_tenant'],
    [late, pinned, '4: checkpoint_before_file'],
  ] as const) {
    const { code, stdout, stderr } = await verify(file, ...options);
    expect([code, stdout.slice(36)]).toEqual([
      1,
      expect.stringMatching(`^: not compared, .*\n {2}entry ${reason}\n$`),
    ]);
    expect(stderr).toMatch(/^This says nothing against the file\. Pass one of the tenant /);
  }
});
