import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { closing } from '@eaas/test-kit/closing';
import { commandsOf, read, root } from '@eaas/test-kit/markdown';
import { openTerminal } from '@eaas/test-kit/terminal';

const [, fiveMinutes = ''] = read('README.md').split('## Five minutes');
const commands = [...commandsOf(fiveMinutes), ...commandsOf(read('examples/encrypt-a-field/README.md'))];

const follow = 'npx --no-install @eaas/cli audit follow --tenant dev --once';

const folder = await newDirectory();
const clone = join(folder, 'eaas');
await promisify(execFile)('git', ['clone', '--quiet', root, clone]);
const terminal = await closing(openTerminal(clone), (it) => it.close());

test('the first line in the README prints the URL of the playground', async () => {
  expect(commands.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  await terminal.type('npm ci && npm start &');
  await vi.waitUntil(() => /^Try it /m.test(terminal.shown()), { timeout: 250_000 });
  expect(terminal.shown()).toMatch(/^Playground +http:\S+$/m);
}, 600_000);

test('the first example works in the next terminal, and stands in the audit log', async () => {
  const outputs: string[] = [];
  for (const command of [...commands.slice(2), follow]) {
    const { output, failed } = await terminal.type(command);
    expect({ command, failed, output }).toMatchObject({ failed: [] });
    outputs.push(output);
  }
  await terminal.type('kill %1');
  expect(outputs.join('')).toMatch(/0gRefreshToken[^]*key\.wrap/);
});

test('`npm start` of a script ends with npm', async () => {
  const start = 'EAAS_PORT=0 EAAS_DATA_DIR=scripted npm start > scripted.log 2>&1 &';
  const ready = 'until grep -q "^Try it" scripted.log || ! kill -0 $npm; do sleep 0.1; done';
  await terminal.type(`set +m; ${start} npm=$!; ${ready}; kill $npm; set -m`);
  const log = await readFile(join(folder, 'eaas', 'scripted.log'), 'utf8');
  const [address = 'no address'] = /http:\/\/[\d.]+:\d+/.exec(log) ?? [];
  expect(address).toMatch(/^http:/);
  const serves = () =>
    fetch(`${address}/readyz`).then(
      () => true,
      () => false,
    );
  await expect.poll(serves, { timeout: 30_000 }).toBe(false);
});
