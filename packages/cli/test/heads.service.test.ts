// `eaas heads forget` on the directory of a server that has stopped, and of one that runs.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine, jsonLines } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { openHeadFile } from '@eaas/server/internal';
import { expect, onTestFinished, test } from 'vitest';

const eaas = await commandLine();
const hash = 'ab'.repeat(32);
const other = '00000000-0000-4000-8000-00000000000b';

/** A command line whose server has seen entry 7 of a tenant, and of another. */
async function stateOf(name: string) {
  const [tenant] = await eaas.json<{ tenant_id: string }>('tenant', 'create', '--name', name);
  const tenantId = tenant?.tenant_id ?? '';
  const directory = join(await newDirectory(), 'state');
  await mkdir(directory);
  const path = join(directory, 'heads');
  await writeFile(path, `eaas heads v1\n${tenantId} 7 ${hash}\n${other} 7 ${hash}\n`);
  const lines = async () => (await readFile(path, 'utf8')).trim().split('\n').slice(1);
  return { tenantId, directory, lines, run: eaas.with({ EAAS_STATE_DIR: directory }) };
}

test('heads forget forgets one tenant by its name, or all', async () => {
  const { directory, lines, run } = await stateOf('remembered');
  expect(await run.json('heads', 'forget', '--tenant', 'remembered')).toEqual([{ directory, forgotten: 1 }]);
  expect(await lines()).toEqual([`${other} 7 ${hash}`]);

  const { code, stdout, stderr } = await run('heads', 'forget');
  expect([code, stdout]).toEqual([0, `directory  ${directory}\nforgotten  1\n`]);
  expect(stderr).toBe('Next: start the server; it remembers what it sees from now on\n');
  expect(await lines()).toEqual([]);
  expect(await run.json('heads', 'forget')).toEqual([{ directory, forgotten: 0 }]);
});

test('heads forget changes nothing for a tenant that does not exist, or without a directory', async () => {
  const { lines, run } = await stateOf('kept');
  expect(await run('heads', 'forget', '--tenant', 'nobody')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('eaas tenant list'),
  });
  expect(await eaas('heads', 'forget')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('EAAS_STATE_DIR is not set'),
  });
  expect(await lines()).toHaveLength(2);
});

test('heads forget says that the server must be stopped while it runs', async () => {
  const { directory, lines, run } = await stateOf('running');
  const { heads } = await openHeadFile(directory);
  onTestFinished(() => heads.close());
  expect(await run('heads', 'forget', '--json')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('stop that server first'),
  });
  expect(await lines()).toHaveLength(2);
  expect(jsonLines((await run('tenant', 'list', '--json')).stdout).length).toBeGreaterThan(0);
});
