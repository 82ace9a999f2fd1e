import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditEntry, proveEntry } from '@eaas/audit';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { madeUpLog } from '@eaas/test-kit/made-up-log';
import { read, root } from '@eaas/test-kit/markdown';
import { eaas as program, run } from '@eaas/test-kit/program';

const folder = await newDirectory();
const service = createTestService();
const client = new EaasClient({ ...service });
const log = madeUpLog();
for (const name of ['one', 'two": {"a\\']) await client.keys.create({ name });
const signed = await client.audit.checkpoint();
const { tenant_id: tenantId, id, hash } = signed;
const index = log.moment([{ tenantId, id, hash: Uint8Array.from(Buffer.from(hash, 'hex')) }], Date.now());
const proof = log.prove(tenantId, index, { signers: { north: 1_900_000_000, south: 1_900_000_030 } });
client.audit.proof = async () => ({ proof });
const proven = await proveEntry(client, 1);

await client.keys.create({ name: 'later' });
const entries: AuditEntry[] = [];
for await (const entry of client.audit.list({}, { order: 'oldest' })) entries.push(entry);
const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
const foreign = await new EaasClient({ ...createTestService() }).audit.checkpoint();
const files = {
  'log.ndjson': lines.join(''),
  'late.ndjson': lines.slice(1).join(''),
  'blue.ndjson': read('examples/tampered-log/acme.original.ndjson'),
  checkpoint: signed.checkpoint,
  'other.txt': 'not an export\n',
};
for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);

const verify = (...args: readonly string[]) =>
  run([...program, 'audit', 'verify-file', ...args], {}, { cwd: folder });
const against = (verifierKey: string) => ['--checkpoint-file', 'checkpoint', '--verifier-key', verifierKey];

async function verifyText(text: string, policy = log.policy, ...args: readonly string[]) {
  await writeFile(join(folder, 'proof'), text);
  await writeFile(join(folder, 'policy'), policy);
  return verify('--proof', 'proof', '--policy', 'policy', ...args);
}

test('audit verify-file says which entries a checkpoint proves, and which hash was not verified', async () => {
  const { code, stdout, stderr } = await verify('log.ndjson', ...against(signed.verifier_key));
  expect([code, stdout]).toEqual([0, `${tenantId}: valid, entries 1 to 4\n`]);
  expect(stderr).toBe('The checkpoint proves the entries up to 3. A later checkpoint proves the others.\n');
  const late = await verify('late.ndjson');
  expect(late).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('begins with entry 2, so the hash'),
  });
});

test.each([
  [['missing.txt'], 'The file missing.txt cannot be read (ENOENT): check its path and its permissions.'],
  [['other.txt'], 'The file other.txt is refused: line 1 is not an audit entry'],
  [['log.ndjson', ...against('').slice(0, 2)], 'Pass both --checkpoint-file and --verifier-key, or neither.'],
  [['log.ndjson', ...against(foreign.verifier_key)], 'has no valid signature'],
  [['log.ndjson', ...against(signed.verifier_key.slice(1))], 'The verifier key must be the whole'],
  [['log.ndjson', '--policy', 'policy'], 'Pass both --proof and --policy, or neither.'],
  [['--proof', 'x', '--policy', 'x', ...against('x')], 'Pass either --proof or --checkpoint-file'],
  [[], 'Pass a file, or --proof and --policy.'],
])('audit verify-file %j is wrong usage: %s', async (args, message) => {
  expect(await refusalOf(verify(...args), 2)).toContain(message);
});

test('audit verify-file accuses nobody if it cannot compare the file', async () => {
  const example = join(root, 'examples/tampered-log');
  const theirs = ['--proof', join(example, 'acme.tlog-proof'), '--policy', join(example, 'policy.txt')];
  for (const [args, reason] of [
    [['blue.ndjson', ...against(signed.verifier_key)], '3: checkpoint_of_other_tenant'],
    [['log.ndjson', ...theirs], '7: proof_of_other_tenant'],
  ] as const) {
    const { code, stdout, stderr } = await verify(...args);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`: not compared, .*\n {2}entry ${reason}\n$`));
    expect(stderr).toMatch(/^This says nothing against the file\. Pass one of the tenant /);
  }
});

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
  for (const text of ['', '{"entry":1}']) {
    expect((await verifyText(text)).stdout).toContain('REFUSED (proof_format)');
  }
});

test('audit verify-file --proof refuses a wrong policy with exit code 2', async () => {
  expect(await refusalOf(verifyText(proof, 'x'), 2)).toContain('ine 1 of the policy is not valid');
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
