import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { whereAvailable } from '../../../test/setup/available.ts';
import {
  checkpointFile,
  listCheckpointFiles,
  readCheckpointFile,
  removeCheckpointFile,
  requireCheckpointDirectory,
  writeCheckpointFile,
} from './checkpoint-files.ts';

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'eaas-test-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

test("a tenant's checkpoint file is private and holds only the newest checkpoint", async () => {
  const [directory, tenantId] = [await newDirectory(), randomUUID()];
  expect(await readCheckpointFile(directory, tenantId)).toBeUndefined();
  for (const text of ['first\n', 'second, longer\n', 'third\n']) {
    await writeCheckpointFile(directory, tenantId, text);
    expect(await readCheckpointFile(directory, tenantId)).toBe(text);
    expect(await readdir(directory)).toEqual([`${tenantId}.checkpoint`]);
    expect((await stat(checkpointFile(directory, tenantId))).mode & 0o777).toBe(0o600);
  }
});

test('the temporary file of an interrupted write is overwritten and never read', async () => {
  const [directory, tenantId] = [await newDirectory(), randomUUID()];
  await writeCheckpointFile(directory, tenantId, 'whole\n');
  await writeFile(`${checkpointFile(directory, tenantId)}.new`, 'ha', { mode: 0o644 });
  expect(await readCheckpointFile(directory, tenantId)).toBe('whole\n');
  expect(await listCheckpointFiles(directory)).toEqual([tenantId]);
  await writeCheckpointFile(directory, tenantId, 'next\n');
  expect(await readdir(directory)).toEqual([`${tenantId}.checkpoint`]);
  expect((await stat(checkpointFile(directory, tenantId))).mode & 0o777).toBe(0o600);
});

test('the list of tenants that have a checkpoint file ignores other files in the directory', async () => {
  const [directory, one, two] = [await newDirectory(), randomUUID(), randomUUID()];
  for (const tenantId of [one, two]) await writeCheckpointFile(directory, tenantId, 'text\n');
  for (const name of ['acme.checkpoint', `${randomUUID()}.txt`]) await writeFile(join(directory, name), '');
  expect((await listCheckpointFiles(directory)).sort()).toEqual([one, two].sort());
  await removeCheckpointFile(directory, one);
  await removeCheckpointFile(directory, one);
  expect(await listCheckpointFiles(directory)).toEqual([two]);
});

test('a missing checkpoint directory is not created', async () => {
  const directory = join(await newDirectory(), 'missing');
  await expect(writeCheckpointFile(directory, randomUUID(), 'text\n')).rejects.toThrow('ENOENT');
  expect(await readCheckpointFile(directory, randomUUID())).toBeUndefined();
});

test('the server refuses a checkpoint directory that is missing or not a directory', async () => {
  const directory = await newDirectory();
  const file = join(directory, 'file');
  await writeFile(file, '');
  await expect(requireCheckpointDirectory(join(directory, 'missing'))).rejects.toThrow(
    /EAAS_CHECKPOINT_DIR .*missing cannot be used \(ENOENT\)\. Create or mount the directory/,
  );
  await expect(requireCheckpointDirectory(file)).rejects.toThrow(/is not a directory/);
  await requireCheckpointDirectory(directory);
});

whereAvailable('an account other than root', process.getuid?.() !== 0, () => {
  test('the server refuses a checkpoint directory that it cannot write or read', async () => {
    const directory = await newDirectory();
    for (const mode of [0o500, 0o300]) {
      await chmod(directory, mode);
      await expect(requireCheckpointDirectory(directory)).rejects.toThrow(/\(EACCES\)\. Allow the user/);
    }
    await chmod(directory, 0o700);
  });
});
