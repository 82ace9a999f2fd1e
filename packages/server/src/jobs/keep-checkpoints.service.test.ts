import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiOf, openWorld, type Resident, settle, type World } from '../../../../test/setup/world.ts';
import { type Attacker, openAttacker } from '../../../../test/tampering/attacker.ts';
import { keepCheckpoints } from './keep-checkpoints.ts';

const never = new AbortController().signal;

let world: World;
let attacker: Attacker;
let ann: Resident;
let ben: Resident;
let directory: string;

beforeAll(async () => {
  world = await openWorld('2026-09-01T00:00:00Z');
  attacker = await openAttacker(world);
  ann = await settle(world.replica(), 'ann');
  ben = await settle(world.replica(), 'ben');
  await attacker.keep('fresh');
});
beforeEach(async () => {
  await attacker.restore('fresh');
  directory = await mkdtemp(join(tmpdir(), 'eaas-checkpoints-'));
  return () => rm(directory, { recursive: true });
});
afterAll(() => world.close());

const keep = () => keepCheckpoints(world.replica(), directory, never);
const kept = ({ tenantId }: Resident) => readFile(join(directory, `${tenantId}.checkpoint`), 'utf8');
const grow = (resident: Resident, name: string) =>
  apiOf(world.replica(), resident.token)('POST /v1/keys', { name });

test('the checkpoint job writes a new checkpoint for every log that has grown', async () => {
  await keep();
  const [first, other] = [await kept(ann), await kept(ben)];
  const { checkpoint } = await apiOf(world.replica(), ann.token)('GET /v1/audit/checkpoint', {});
  expect(first).toBe(checkpoint);
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
