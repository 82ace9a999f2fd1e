import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EaasClient } from '@eaas/sdk';
import { createIntake } from '@eaas/sdk/intake';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { eaas, launch, run } from '@eaas/test-kit/program';
import { whereAvailable } from '@eaas/test-kit/available';
import { type Browser, hasChromium, launchChromium, type Page } from '@eaas/test-kit/chromium';
import { requireBuiltPages } from '@eaas/test-kit/built-pages';
import { playAll } from './playground-states.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const value = 'grace.hopper@example.com';

whereAvailable('Chromium', hasChromium, () => {
  let launched: { readonly browser: Browser; readonly close: () => Promise<void> };
  let folder: string;
  let address: string;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    await requireBuiltPages();
    launched = await launchChromium();
    folder = await mkdtemp(join(tmpdir(), 'eaas-test-'));
    const { child, stdout, stderr } = launch([...eaas, 'dev'], { EAAS_PORT: '0' }, folder);
    const ended = once(child, 'close');
    stop = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    const printed = /^Playground +(\S+)$/m;
    await vi.waitUntil(() => child.exitCode !== null || printed.test(stdout()), { timeout: 250_000 });
    [, address = ''] = printed.exec(stdout()) ?? [];
    if (address === '')
      throw new Error(`\`eaas dev\` did not print the URL of the playground:\n${stdout()}${stderr()}`);
  });

  afterAll(async () => {
    await stop();
    await launched.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  async function openPage(): Promise<{ readonly page: Page; readonly sent: string[] }> {
    const page = await launched.browser.newPage({ locale: 'en-US', acceptDownloads: true });
    onTestFinished(() => page.close());
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    return { page, sent };
  }

  async function createApiKey(words: readonly string[]): Promise<string> {
    const { stdout } = await run([...eaas, 'api-key', 'create', ...words, '--json'], {}, { cwd: folder });
    return (JSON.parse(stdout) as { api_key: string }).api_key;
  }

  async function signIn(page: Page, apiKey: string): Promise<void> {
    await page.getByLabel('API key').fill(apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  }

  async function openConsole(path: string, permissions = 'all'): Promise<Page> {
    const named = ['--tenant', 'dev', '--name', crypto.randomUUID(), '--permissions', permissions];
    const { page } = await openPage();
    await page.goto(new URL(path, address).href);
    await signIn(page, await createApiKey(named));
    return page;
  }

  test('every step of the playground works after the sign-in of eaas dev', async () => {
    const { page, sent } = await openPage();
    const begin = performance.now();
    await page.goto(address);
    await page.getByText('The chain holds.').first().waitFor();
    await page.getByRole('textbox', { name: 'Value' }).fill(value);
    await playAll(page);
    process.stdout.write(`The playground was played in ${Math.round(performance.now() - begin)} ms.\n`);

    expect(await page.locator('output').first().innerText()).toBe(value);
    expect(await page.locator('#read output').innerText()).toBe(value);
    expect(page.url()).not.toContain('code');
    const kept = await page.evaluate(
      `JSON.stringify([Object.keys(localStorage), Object.keys(sessionStorage), document.cookie])`,
    );
    expect(kept).toBe('[[],["eaas-dev-session"],""]');
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain('eaas_sk_');

    expect(sent.filter((request) => request.includes('/wrap')).length).toBeGreaterThan(0);
    const bytes = Buffer.from(value);
    for (const spelling of [value, encodeURIComponent(value), bytes.toString('hex')])
      expect(sent.filter((request) => request.toLowerCase().includes(spelling))).toEqual([]);
    expect(sent.filter((request) => request.includes(bytes.toString('base64').slice(0, 30)))).toEqual([]);
  });

  test('after the sign-in of eaas dev, every page of the console works, and a reload stays signed in', async () => {
    const { page } = await openPage();
    const signInUrl = await run([...eaas, 'dev', '--sign-in'], {}, { cwd: folder });
    await page.goto(signInUrl.stdout.trim());
    await page.getByRole('heading', { name: 'Encrypt a value' }).waitFor();
    for (const [path, title] of [
      ['keys', 'Keys'],
      ['api-keys', 'API keys'],
      ['sign-ins', 'Sign-ins'],
      ['people', 'People'],
      ['audit', 'Audit log'],
      ['usage', 'Usage'],
    ] as const) {
      await page.goto(new URL(`/console/?reloaded=${path}#/${path}`, address).href);
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
      await page.locator('table, .empty, .find').first().waitFor();
      expect(await page.locator('.failure').count()).toBe(0);
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(new URL('/?again', address).href);
    await page.getByLabel('API key').waitFor();
  });

  test('a sign-in URL works only once', async () => {
    const { page } = await openPage();
    await page.goto(address);
    await page.getByText(/not valid any more/).waitFor();
    expect(page.url()).not.toContain('code');
  });

  test('a user can create, rotate, disable, destroy and restore a key in the console', async () => {
    const page = await openConsole('/console/');
    await press(page, 'Create a key');
    await page.getByLabel('Name').fill('invoices');
    await press(page, 'Create the key');
    await page.getByRole('heading', { name: 'invoices' }).waitFor();
    await press(page, 'Rotate');
    await press(page, 'Rotate the key');
    await page.getByRole('rowheader', { name: /^2 newest/ }).waitFor();
    await press(page, 'Close versions');
    await page.getByLabel('Oldest version that opens').fill('2');
    await press(page, 'Save');
    await page.getByRole('rowheader', { name: /^1 closed/ }).waitFor();
    await press(page, 'Disable');
    await press(page, 'Disable the key');
    await page.getByText('It still decrypts.').waitFor();

    await press(page, 'Destroy');
    const destroy = page.getByRole('button', { name: 'Destroy the key' });
    expect(await destroy.isEnabled()).toBe(false);
    await page.getByLabel('Type invoices to confirm').fill('invoices');
    await destroy.click();
    await page.getByText(/Until then it can be restored/).waitFor();
    await press(page, 'Restore');
    await press(page, 'Restore the key');
    await page.getByText('It still decrypts.').waitFor();
  });

  test('the public key that the console shows can encrypt, and a rotation replaces it', async () => {
    const page = await openConsole('/console/');
    await press(page, 'Create a key');
    await page.getByLabel('Name').fill('contact form');
    await page.getByLabel(/^Intake key/).click();
    await press(page, 'Create the key');
    const shown = (version: number) =>
      page.getByRole('group', { name: `Public key of version ${version}` }).innerText();
    const first = await shown(1);

    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the public key of version 1' }).focus();
    await page.keyboard.press('Enter');
    const file = await downloaded;
    const bytes = await readFile(await file.path());
    const { keyId } = createIntake({ publicKey: bytes.toString() });
    expect([file.suggestedFilename(), bytes.toString()]).toEqual([`key-${keyId}-v1.pub`, first]);
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(await page.locator('.digest code').innerText()).toBe(digest);

    await press(page, 'Rotate');
    await press(page, 'Rotate the key');
    const second = await shown(2);
    const apiKey = await createApiKey(['--tenant', 'dev', '--name', 'office', '--permissions', 'decrypt']);
    const client = new EaasClient({ baseUrl: new URL(address).origin, apiKey, keyId });
    for (const publicKey of [first, second]) {
      const { ciphertext } = await createIntake({ publicKey }).encrypt('Please call me.');
      expect(await client.decrypt(ciphertext, { as: 'text' })).toBe('Please call me.');
    }
    expect(createIntake({ publicKey: second }).keyVersion).toBe(2);
  });

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  /** Creates an API key in the console, and returns its token. */
  async function createdIn(page: Page, name: string, choose = async (): Promise<void> => {}) {
    await press(page, 'Create an API key');
    await page.getByLabel('Name').fill(name);
    await choose();
    await press(page, 'Create the API key');
    return page.locator('.token code').innerText();
  }

  test('the console shows the token of a new API key only once', async () => {
    const page = await openConsole('/console/#/api-keys');
    const token = await createdIn(page, 'reports');
    expect(token).toMatch(/^eaas_sk_\w{49}$/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await press(page, 'I have stored it');
    await press(page, 'Revoke reports');
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(token);
    await page.getByLabel(`Type ${token.slice(-4)} to confirm`).fill(token.slice(-4));
    await press(page, 'Revoke the API key');
    await page.getByText('Revoked').waitFor();
  });

  test('an API key accepts only the origin that was set in the console, from the next call on', async () => {
    const page = await openConsole('/console/#/api-keys');
    const token = await createdIn(page, 'for-pages', async () => {
      await page.getByLabel(/^keys.manage/).click();
      await page.getByLabel(/^Web pages of these/).click();
      await page.getByLabel('Allowed origins').fill('https://app.example/login');
      expect(await page.getByLabel(/^keys.manage/).isEnabled()).toBe(false);
    });
    await press(page, 'I have stored it');
    await page.getByText(/^app\.example$/).waitFor();
    const unwrapAt = async (origin: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', origin };
      const url = new URL('/v1/batch/unwrap', address);
      return (await fetch(url, { method: 'POST', headers, body: '{}' })).status;
    };
    const [app, other] = ['https://app.example', 'https://other.example'] as const;
    expect([await unwrapAt(app), await unwrapAt(other)]).toEqual([400, 403]);
    await press(page, 'Edit for-pages');
    expect(await page.getByRole('button', { name: 'Save the changes' }).isEnabled()).toBe(false);
    await page.getByLabel('Allowed origins').fill(other);
    await page.getByText('Calls from web pages of https://app.example are refused.').waitFor();
    await press(page, 'Save the changes');
    await page.locator('dialog').waitFor({ state: 'hidden' });
    expect([await unwrapAt(app), await unwrapAt(other)]).toEqual([403, 400]);
  });

  test('if the user lacks the permission for usage, the usage page shows a command that creates an API key', async () => {
    const page = await openConsole('/console/#/usage', 'keys.read');
    const command = await page.getByRole('group', { name: 'In a terminal' }).innerText();
    const [npx, noInstall, program, ...words] = command
      .replace('<tenant>', 'dev')
      .replace('\\\n', '')
      .split(/\s+/);
    expect([npx, noInstall, program, ...words.splice(0, 2)].join(' ')).toBe(
      'npx --no-install @eaas/cli api-key create',
    );
    await page.getByRole('button', { name: 'Sign in with another API key' }).click();
    await signIn(page, await createApiKey(words));
    await page.locator('.empty, table').first().waitFor();
  });

  test('the console exports a key to a file after the user typed the name of the key', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 });
    const page = await openConsole('/console/');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('escrow');
    await page.getByLabel(/^Allow export/).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    await page.getByLabel('RSA public key').fill(pem.toString());
    const exportIt = page.getByRole('button', { name: 'Export the key' });
    expect(await exportIt.isEnabled()).toBe(false);
    await page.getByLabel('Type escrow to confirm').fill('escrow');
    const downloaded = page.waitForEvent('download');
    await exportIt.click();
    const file: unknown = JSON.parse(await readFile(await (await downloaded).path(), 'utf8'));
    const encrypted = expect.stringMatching(/^[A-Za-z\d+/]{512}$/) as string;
    expect(file).toMatchObject({ versions: [{ key_version: 1, encrypted }], hash_key: encrypted });
  });

  test('when a dialog closes, the focus returns to the button that opened it', async () => {
    const page = await openConsole('/console/');
    await page.getByRole('button', { name: 'Create a key' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor();
    expect(await page.evaluate('document.activeElement?.labels?.[0]?.textContent')).toBe('Name');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'hidden' });
    const focused = () => page.evaluate('document.activeElement?.textContent');
    await expect.poll(focused).toBe('Create a key');
  });

  test('an exported log can be verified without the browser', async () => {
    const page = await openConsole('/console/#/audit');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The chain holds.').waitFor();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export all entries' }).click();
    const file = await downloaded;
    expect(file.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.ndjson$/);
    const verified = await run([...eaas, 'audit', 'verify-file', await file.path()], {}, { cwd: root });
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/: valid, entries 1 to \d+\n$/) as string,
    });
    const verifier = [process.execPath, 'examples/verify-audit/index.mjs', await file.path()];
    expect(await run(verifier, {}, { cwd: root })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/are a chain/) as string,
      stderr: expect.stringMatching(/^No checkpoint was passed: this shows only/) as string,
    });
  });
});
