import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { serve } from '@eaas/test-kit/program';
import { expect, onTestFinished, test } from 'vitest';

const origin = 'eaas.example/log';

async function policyFile(...lines: string[]): Promise<string> {
  const file = join(await newDirectory(), 'log.policy');
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

async function initialised() {
  const eaas = await commandLine();
  const [log] = await eaas.json<{ policy_line: string }>('log', 'init', '--origin', origin);
  return { eaas, line: log?.policy_line ?? '' };
}

test('a server keeps the log that was initialised', async () => {
  const { eaas, line } = await initialised();
  await eaas.json('tenant', 'create', '--name', 'ann');
  const EAAS_LOG_POLICY_FILE = await policyFile(line, 'quorum none');
  const server = await serve({ ...eaas.env, EAAS_LOG_POLICY_FILE });
  onTestFinished(() => server.kill());
  const read = (path: string) => fetch(`http://127.0.0.1:${server.port}/log/${path}`);
  await expect.poll(async () => (await read('checkpoint')).status).toBe(200);
  expect(await (await read('checkpoint')).text()).toMatch(new RegExp(`^${origin}\n1\n`));
  expect((await (await read('tile/0/000.p/1')).arrayBuffer()).byteLength).toBe(32);
  expect((await read('tile/0/000')).status).toBe(404);
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  expect(metrics).toMatch(/^eaas_log_halted 0$/m);
  const status = { origin, size: 1, witnessed_size: 0, halted: null, policy_line: line };
  expect(await eaas.json('log', 'status')).toMatchObject([status]);
});

test('the commands show the line of the policy, and refuse a second log', async () => {
  const { eaas, line } = await initialised();
  expect(line).toMatch(/^log eaas\.example\/log\+[\da-f]{8}\+[\w+/]{44}$/);
  expect(await refusalOf(eaas('log', 'init', '--origin', 'other.example/log'), 1)).toContain(
    `already has the log ${origin}`,
  );
  const restarted = await eaas('log', 'restart', '--origin', 'eaas.example/log2');
  expect(restarted.stdout).toMatch(/^ended +eaas\.example\/log$/m);
  expect(restarted.stdout).toMatch(/^policy_line +log eaas\.example\/log2\+/m);
});

test.each<[string, (line: string) => Promise<string>, string]>([
  ['an unreadable policy', async () => '/nowhere/log.policy', 'the file /nowhere/log.policy cannot be read'],
  ['a wrong line', (line) => policyFile(line, '', 'quorum none', 'wittness a'), 'line 4'],
  ['a policy without the log', () => policyFile('quorum none'), 'Add the line `log eaas.example/log+'],
])('a server does not start with %s', async (_, file, message) => {
  const { eaas, line } = await initialised();
  const serving = eaas.with({ EAAS_LOG_POLICY_FILE: await file(line) })('serve');
  expect(await refusalOf(serving, 3)).toContain(message);
});

test('a server does not start with a policy and without a log', async () => {
  const eaas = await commandLine();
  const EAAS_LOG_POLICY_FILE = await policyFile('quorum none');
  const serving = eaas.with({ EAAS_LOG_POLICY_FILE })('serve');
  expect(await refusalOf(serving, 3)).toContain('The public log is not initialised: run `eaas log init');
  expect(await refusalOf(eaas('log', 'status'), 1)).toContain('The service has no public log');
});
