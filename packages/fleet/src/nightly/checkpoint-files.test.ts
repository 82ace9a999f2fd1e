import { randomUUID } from 'node:crypto';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { whereAvailable } from '@eaas/test-kit/available';
import {
  listCheckpointFiles,
  readCheckpointFile,
  removeFilesOfTenant,
  removeUnfinishedFiles,
  requireCheckpointDirectory,
  writeCheckpointFile,
} from './checkpoint-files.ts';

async function textsOf(directory: string, tenantId: string): Promise<(string | undefined)[]> {
  const files = (await listCheckpointFiles(directory)).get(tenantId) ?? [];
  return Promise.all(files.map(readCheckpointFile));
}

test('each checkpoint has its own private file, and the newest comes first', async () => {
  const [directory, tenantId] = [await newDirectory(), randomUUID()];
  expect(await textsOf(directory, tenantId)).toEqual([]);
  await writeFile(join(directory, `${tenantId}.checkpoint`), 'of an earlier version\n');
  const path = await writeCheckpointFile(directory, tenantId, 100, 'of entry 100\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  // A slow server writes the checkpoint of entry 99 after another server has written the checkpoint of entry 100.
  await writeCheckpointFile(directory, tenantId, 99, 'of entry 99\n');
  expect(await textsOf(directory, tenantId)).toEqual([
    'of entry 100\n',
    'of entry 99\n',
    'of an earlier version\n',
  ]);
});

test('two servers can write the same checkpoint at the same time', async () => {
  const [directory, tenantId] = [await newDirectory(), randomUUID()];
  const text = `${'x'.repeat(100_000)}\n`;
  await Promise.all(Array.from({ length: 20 }, () => writeCheckpointFile(directory, tenantId, 7, text)));
  expect(await textsOf(directory, tenantId)).toEqual([text]);
  expect(await readdir(directory)).toEqual([`${tenantId}.7.checkpoint`]);
});

test('the temporary file of an interrupted write is never read, and is removed after a newer checkpoint', async () => {
  const [directory, tenantId] = [await newDirectory(), randomUUID()];
  const temporary = `${tenantId}.5.checkpoint.${randomUUID()}.new`;
  await writeFile(join(directory, temporary), 'ha');
  expect(await textsOf(directory, tenantId)).toEqual([]);
  await removeUnfinishedFiles(directory);
  expect(await readdir(directory)).toEqual([temporary]);
  await writeCheckpointFile(directory, tenantId, 6, 'whole\n');
  await removeUnfinishedFiles(directory);
  expect(await readdir(directory)).toEqual([`${tenantId}.6.checkpoint`]);
});

test('the list of tenants that have a checkpoint file ignores other files in the directory', async () => {
  const [directory, one, two] = [await newDirectory(), randomUUID(), randomUUID()];
  for (const tenantId of [one, two]) await writeCheckpointFile(directory, tenantId, 1, 'text\n');
  for (const name of ['acme.checkpoint', `${randomUUID()}.txt`]) await writeFile(join(directory, name), '');
  await writeFile(join(directory, `${one}.2.checkpoint.${randomUUID()}.new`), 'ha');
  const tenants = async () => [...(await listCheckpointFiles(directory)).keys()].sort();
  expect(await tenants()).toEqual([one, two].sort());
  await removeFilesOfTenant(directory, one);
  await removeFilesOfTenant(directory, one);
  expect(await tenants()).toEqual([two]);
  expect((await readdir(directory)).filter((name) => name.startsWith(one))).toEqual([]);
});

test('a missing checkpoint directory is not created', async () => {
  const directory = join(await newDirectory(), 'missing');
  await expect(writeCheckpointFile(directory, randomUUID(), 1, 'text\n')).rejects.toThrow('ENOENT');
  await expect(listCheckpointFiles(directory)).rejects.toThrow('ENOENT');
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
