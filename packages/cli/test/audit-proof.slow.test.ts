import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { proveEntry } from '@eaas/audit';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { madeUpLog } from '@eaas/test-kit/made-up-log';
import { eaas as program, run } from '@eaas/test-kit/program';

const folder = await newDirectory();
const service = createTestService();
const client = new EaasClient({ ...service });
const log = madeUpLog();
await client.keys.create({ name: 'one' });
await client.keys.create({ name: 'two' });
const { tenant_id: tenantId, id, hash } = await client.audit.checkpoint();
const index = log.moment([{ tenantId, id, hash: Uint8Array.from(Buffer.from(hash, 'hex')) }], Date.now());
const proof = log.prove(tenantId, index, { signers: { north: 1_900_000_000, south: 1_900_000_030 } });
client.audit.proof = async () => ({ proof });
const proven = await proveEntry(client, 1);

const verify = (...args: readonly string[]) =>
  run([...program, 'audit', 'verify-file', ...args], {}, { cwd: folder });

async function verifyText(text: string, policy = log.policy, ...args: readonly string[]) {
  await writeFile(join(folder, 'proof'), text);
  await writeFile(join(folder, 'policy'), policy);
  return verify('--proof', 'proof', '--policy', 'policy', ...args);
}

test('audit verify-file --proof says what an entry was, before when, and what that does not show', async () => {
  const { code, stdout, stderr } = await verifyText(JSON.stringify(proven));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^valid\n/);
  expect(stdout).toContain(tenantId);
  expect(stdout).toMatch(/^entry +\{"id":1,.*"action":"api_key\.create"/m);
  expect(stdout).toMatch(/^witnesses +north, south$/m);
  expect(stdout).toMatch(/^existed before +2030-03-17T17:47:10\.000Z$/m);
  expect(stderr).toContain('so it existed, as it is shown here, before 2030-03-17T17:47:10.000Z.');
  expect(stderr).toContain('does not show that what the log says is true or complete');
});

test('audit verify-file --proof takes the text of a proof and the response of the API, and prints JSON', async () => {
  for (const text of [proof, JSON.stringify({ proof })]) {
    const { code, stdout, stderr } = await verifyText(text, log.policy, '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, entry: null, head: { id, hash } });
  }
});

test('audit verify-file --proof refuses a changed entry, another log, and any other file, with exit code 1', async () => {
  const changed = { ...proven, entry: { ...proven.entry, actor: 'nobody' } };
  expect(await verifyText(JSON.stringify(changed))).toMatchObject({
    code: 1,
    stdout: 'REFUSED (proof_chain): the proof is refused: entry 1 was altered\n',
  });
  const other = await verifyText(JSON.stringify(proven), madeUpLog().policy, '--json');
  expect([other.code, JSON.parse(other.stdout)]).toMatchObject([1, { valid: false, code: 'proof_log' }]);
  for (const text of ['', '{"entry":1}'])
    expect((await verifyText(text)).stdout).toContain('REFUSED (proof_format)');
});

test('audit verify-file --proof refuses a wrong command line and a wrong policy with exit code 2', async () => {
  expect(await refusalOf(verifyText(proof, 'x'), 2)).toContain('ine 1 of the policy is not valid');
  for (const args of [[], ['--policy', 'policy'], ['x', '--proof', 'proof', '--checkpoint-file', 'x']])
    expect(await refusalOf(verify(...args), 2)).toContain('Pass');
});

test('audit verify-file --proof says that a clock is wrong, if the witnesses are before the operator or in the future', async () => {
  const signedAt = async (seconds?: number) => {
    const signers = seconds === undefined ? {} : { signers: { north: seconds, south: seconds } };
    const { code, stderr } = await verifyText(log.prove(tenantId, index, signers));
    return [code, stderr.includes('A clock is wrong')];
  };
  expect(await signedAt()).toEqual([0, false]);
  expect(await signedAt(1)).toEqual([0, true]);
  expect(await signedAt(8_000_000_000_000)).toEqual([0, true]);
});
