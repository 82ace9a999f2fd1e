import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { apiOf, type Resident, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { listCheckpointFiles, readCheckpointFile, writeCheckpointFile } from './checkpoint-files.ts';
import { keepCheckpoints } from './keep-checkpoints.ts';

const never = new AbortController().signal;

let directory: string;

const world = await testWorld();
const attacker = await openAttacker(world);
const ann = await settle(world.replica(), 'ann');
const ben = await settle(world.replica(), 'ben');
await attacker.keep('fresh');
beforeEach(async () => {
  await attacker.restore('fresh');
  directory = await newDirectory();
});

const keep = () => keepCheckpoints(world.replica(), directory, never);
const filesOf = async ({ tenantId }: Resident) =>
  (await readdir(directory)).filter((name) => name.startsWith(tenantId));
const kept = async (resident: Resident) => {
  const [name = '', ...others] = await filesOf(resident);
  expect(others).toEqual([]);
  return readFile(join(directory, name), 'utf8');
};
const headOf = ({ token }: Resident) => apiOf(world.replica(), token)('GET /v1/audit/checkpoint', {});
const grow = (resident: Resident, name: string) =>
  apiOf(world.replica(), resident.token)('POST /v1/keys', { name });

test('the checkpoint job writes a new checkpoint for every log that has grown', async () => {
  await keep();
  const [first, other] = [await kept(ann), await kept(ben)];
  expect(first).toBe((await headOf(ann)).checkpoint);
  await grow(ann, 'more');
  await keep();
  expect(await kept(ann)).not.toBe(first);
  expect(await kept(ben)).toBe(other);
});

test('the checkpoint job keeps the old checkpoint of a log that lost entries', async () => {
  await grow(ann, 'lost');
  await keep();
  const evidence = await kept(ann);
  await attacker.restore('fresh');
  await grow(ben, 'more');
  const before = await kept(ben);
  await expect(keep()).rejects.toMatchObject({
    message: '1 of 2 failed',
    cause: { name: 'CheckpointDiffers', message: expect.stringContaining('the log ends at entry') },
  });
  expect(await kept(ben)).not.toBe(before);
  await grow(ann, 'another');
  await expect(keep()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('does not have the hash in the checkpoint file') },
  });
  expect(await kept(ann)).toBe(evidence);
});

test('a newer checkpoint remains if a slow server writes an older one later', async () => {
  const older = await headOf(ann);
  await grow(ann, 'more');
  await keep();
  const newer = await kept(ann);
  await writeCheckpointFile(directory, ann.tenantId, 1, older.checkpoint);
  const files = (await listCheckpointFiles(directory)).get(ann.tenantId) ?? [];
  expect(await Promise.all(files.map(readCheckpointFile))).toEqual([newer, older.checkpoint]);
  await keep();
  expect(await kept(ann)).toBe(newer);
});

test('the checkpoint job replaces a checkpoint file with the old name, and fails if its signature is invalid', async () => {
  const path = join(directory, `${ann.tenantId}.checkpoint`);
  await writeFile(path, (await headOf(ann)).checkpoint);
  await keep();
  expect(await kept(ann)).toBe((await headOf(ann)).checkpoint);
  await grow(ann, 'more');
  const { checkpoint } = await headOf(ann);
  await keep();
  expect(await kept(ann)).toBe(checkpoint);
  await writeFile(path, checkpoint.replace(/\n\d+\n/, '\n99\n'));
  await grow(ann, 'another');
  await expect(keep()).rejects.toMatchObject({ cause: { message: expect.stringContaining('signature') } });
  expect(await filesOf(ann)).toHaveLength(2);
});

test('four servers that share a directory leave one file with the newest checkpoint', async () => {
  for (let nth = 0; nth < 5; nth++) {
    await Promise.all([keep(), grow(ann, `name ${nth}`), keep(), keep(), keep()]);
  }
  await keep();
  expect(await kept(ann)).toBe((await headOf(ann)).checkpoint);
});
