import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { closing } from '@eaas/test-kit/closing';
import { whereAvailable } from '@eaas/test-kit/available';
import { hasChromium, launchChromium } from '@eaas/test-kit/chromium';
import { commandsOf, read, root } from '@eaas/test-kit/markdown';
import { openTerminal } from '@eaas/test-kit/terminal';

const value = 'grace.hopper@example.com';
const [, fiveMinutes = ''] = read('README.md').split('## Five minutes');
const commands = commandsOf(fiveMinutes);

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

whereAvailable('Chromium', hasChromium, () => {
  test('the page at the printed URL encrypts and decrypts the first field in the browser', async () => {
    const [, url = ''] = /^Playground +(\S+)$/m.exec(terminal.shown()) ?? [];
    const { browser, close } = await launchChromium();
    onTestFinished(close);
    const page = await browser.newPage({ locale: 'en-US' });
    await page.goto(url);
    await page.getByRole('textbox', { name: 'Value' }).fill(value);
    await page.getByRole('button', { name: 'Encrypt', exact: true }).click();
    await page.getByText(/It is not there/).waitFor();
    await page.getByRole('button', { name: 'Decrypt', exact: true }).click();
    await page.locator('output').first().waitFor();
    expect(await page.locator('output').first().innerText()).toBe(value);
  });
});

test('the commands in the README work one after the other in one terminal', async () => {
  const outputs: string[] = [];
  for (const command of commands.slice(2)) {
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
