import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eaas as program, run } from '@eaas/test-kit/program';
import { newDirectory } from '@eaas/test-kit/directory';
import { commandLine, refusalOf } from '@eaas/test-kit/command-line';
import { root } from '@eaas/test-kit/markdown';

const eaas = await commandLine();
const folder = await newDirectory();
const log = join(folder, 'acme.ndjson');
await eaas.json('tenant', 'create', '--name', 'acme');
for (const name of ['one', 'two', 'three": {"a\\', 'four'])
  await eaas.json('key', 'create', '--tenant', 'acme', '--name', name);
await eaas.json('audit', 'export', '--tenant', 'acme', '--out', log);
const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1);
type Signed = Record<'checkpoint' | 'verifier_key', string>;
const [signed] = await eaas.json<Signed>('audit', 'checkpoint', '--tenant', 'acme');
const checkpoint = join(folder, 'acme.checkpoint');
await writeFile(checkpoint, signed?.checkpoint ?? '');
const pinned = ['--checkpoint-file', checkpoint, '--verifier-key', signed?.verifier_key ?? ''];

const verify = (file: string, ...args: readonly string[]) =>
  run([...program, 'audit', 'verify-file', file, ...args], {}, { cwd: folder });

test('audit verify-file says which entries a checkpoint proves', async () => {
  await eaas.json('key', 'create', '--tenant', 'acme', '--name', 'five');
  await eaas.json('audit', 'export', '--tenant', 'acme', '--out', log);
  const { code, stdout, stderr } = await verify(log, ...pinned);
  expect([code, stdout.slice(36)]).toEqual([0, ': valid, entries 1 to 5\n']);
  expect(stderr).toBe('The checkpoint proves the entries up to 4. A later checkpoint proves the others.\n');
});

test('audit verify-file warns that it did not verify the hash of the first entry if earlier entries are missing', async () => {
  await writeFile(join(folder, 'late.ndjson'), lines.slice(1).join('\n'));
  const { code, stderr } = await verify('late.ndjson');
  expect(code).toBe(0);
  expect(stderr).toContain('The file begins with entry 2, so the hash of this entry was not verified.');
});

test('audit verify-file refuses files that are not an export, and checkpoints of a different verifier key', async () => {
  const [, checkpoint = '', , key = ''] = pinned;
  const none = key.replace(/\+[\da-f]{8}\+/, '+00000000+');
  await eaas.json('tenant', 'create', '--name', 'other');
  const [foreign] = await eaas.json<Signed>('audit', 'checkpoint', '--tenant', 'other');
  const other = foreign?.verifier_key ?? '';
  await writeFile(join(folder, 'other.txt'), 'not an export\n');
  for (const [args, message] of [
    [['missing.txt'], 'The file missing.txt cannot be read (ENOENT): check its path and its permissions.'],
    [['other.txt'], 'The file other.txt is refused: line 1 is not an audit entry'],
    [[log, '--verifier-key', key], 'Pass both --checkpoint-file and --verifier-key, or neither.'],
    [[log, '--checkpoint-file', checkpoint, '--verifier-key', other], 'has no valid signature'],
    [[log, '--checkpoint-file', checkpoint, '--verifier-key', none], 'The verifier key must be the whole'],
  ] as const) {
    expect(await refusalOf(verify(args[0], ...args.slice(1)), 2)).toContain(message);
  }
});

test('audit verify-file accuses nobody if it cannot compare the file', async () => {
  const blue = join(folder, 'blue.ndjson');
  await eaas.json('tenant', 'create', '--name', 'blue');
  await eaas.json('key', 'create', '--tenant', 'blue', '--name', 'one');
  await eaas.json('audit', 'export', '--tenant', 'blue', '--out', blue);
  const example = join(root, 'examples/tampered-log');
  const proof = ['--proof', join(example, 'acme.tlog-proof'), '--policy', join(example, 'policy.txt')];
  for (const [file, options, reason] of [
    [blue, pinned, '4: checkpoint_of_other_tenant'],
    [blue, proof, '7: proof_of_other_tenant'],
  ] as const) {
    const { code, stdout, stderr } = await verify(file, ...options);
    expect([code, stdout.slice(36)]).toEqual([
      1,
      expect.stringMatching(`^: not compared, .*\n {2}entry ${reason}\n$`),
    ]);
    expect(stderr).toMatch(/^This says nothing against the file\. Pass one of the tenant /);
  }
});
