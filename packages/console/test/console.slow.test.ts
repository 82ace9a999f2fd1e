import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { EaasClient, type ReportRow } from '@eaas/sdk';
import { reportCsv } from '@eaas/sdk/internal';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { eaas, launch } from '@eaas/test-kit/program';
import { listen, memoryService, readApiPage, readConsolePages } from '@eaas/test-kit/server';
import { whereAvailable } from '@eaas/test-kit/available';
import { type Browser, hasChromium, launchChromium, type Page } from '@eaas/test-kit/chromium';
import { requireTools } from '@eaas/test-kit/tools';
import { requireBuiltPages } from '@eaas/test-kit/built-pages';
import { keyName } from '../src/playground/own-key.ts';
import { openPages, type Pages } from './pages.ts';
import { seedPeople, subject } from './seeds.ts';
import { openStage } from './stage.ts';
import { states } from './states.ts';
import {
  accept,
  accepting,
  click,
  doing,
  fill,
  find,
  playAll,
  press,
  sees,
  shows,
  violations,
} from './steps.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const dist = join(root, 'packages/console/dist');

beforeAll(requireBuiltPages);

test('the pages load assets only from their own origin, under hashed names', () => {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  const pages = names.filter((name) => name.endsWith('.html') && !name.startsWith('docs'));
  expect(pages.toSorted()).toEqual(['console/index.html', 'console/without-playground.html', 'index.html']);
  for (const name of pages) {
    const text = readFileSync(join(dist, name), 'utf8');
    const links = Array.from(text.matchAll(/(?:src|href)="([^"]+)"/g), ([, link]) => link ?? '');
    const assets = links.filter((link) => !link.startsWith('data:'));
    expect(assets).toHaveLength(2);
    for (const asset of assets) expect(asset).toMatch(/^\/console\/assets\/\w+-[A-Z\d]{8}\.(?:js|css)$/);
  }
});

test('playground and console are smaller than the README says, and not by much', () => {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  const served = names.filter((name) =>
    /^(?:index|console\/index)\.html$|\/assets\/.*\.(?:js|css)$/.test(name),
  );
  const kilobytes = served.reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(dist, name))).length / 1_000,
    0,
  );
  const [, most] = /smaller than (\d+) kB/.exec(readFileSync(join(dist, '../README.md'), 'utf8')) ?? [];
  expect(kilobytes).toBeLessThan(Number(most));
  expect(kilobytes).toBeGreaterThan(Number(most) - 5);
});

whereAvailable('Chromium', hasChromium, () => {
  let launched: { readonly browser: Browser; readonly close: () => Promise<void> };
  let pages: Pages;
  let axe: string;

  beforeAll(async () => {
    const tools = await requireTools('test/tools/console');
    axe = readFileSync(join(tools, 'axe-core/axe.min.js'), 'utf8');
    launched = await launchChromium();
    pages = await openPages(() => Promise.reject(new Error('no service yet')));
  });

  afterAll(async () => {
    await pages.close();
    await launched.close();
  });

  async function openPage(): Promise<{ readonly page: Page; readonly complaints: string[] }> {
    const page = await launched.browser.newPage({ locale: 'en-US', reducedMotion: 'reduce' });
    onTestFinished(() => page.close());
    await page.addInitScript({ content: axe });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { page, complaints };
  }

  async function onStage(daysAgo?: number) {
    const { page } = await openPage();
    const stage = openStage(page, pages, daysAgo);
    return { ...stage, stage };
  }

  test('a sign-in URL signs in even if the tab already shows the page', async () => {
    const { page, service } = await onStage(0);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const code = pages.code({ api_key: service.apiKey, expires_at, tenant: 'acme' });
    await page.goto(pages.url);
    await page.getByLabel('API key').waitFor();
    await page.goto(`${pages.url}/#code=${code}`);
    await page.getByRole('heading', { name: 'Encrypt a value' }).waitFor();
    expect(page.url()).toBe(`${pages.url}/`);
  });

  test('with an API key, the playground asks before it creates its key, and rotates no other key', async () => {
    const { page, client, enterWithApiKey } = await onStage();
    await client.keys.create({ name: 'production' });
    await client.keys.create({ name: 'contact form', intake: true });
    await enterWithApiKey('/');
    const create = page.getByRole('button', { name: 'Create the key' });
    await create.waitFor();
    const before = await client.audit.page({ limit: 1 });
    expect((await client.keys.page()).keys.map(({ name }) => name)).toEqual(['contact form', 'production']);
    await create.click();
    await page.getByText('The chain holds.').first().waitFor();
    await playAll(page);
    const { keys } = await client.keys.page();
    expect(Object.fromEntries(keys.map(({ name, key_version }) => [name, key_version]))).toEqual({
      'contact form': 1,
      [keyName]: 2,
      production: 1,
    });
    const others = keys.filter(({ name }) => name !== keyName);
    const { logs } = await client.audit.page({ limit: 100 });
    const later = logs.filter(({ id }) => id > (before.logs[0]?.id ?? 0));
    expect(later.length).toBeGreaterThan(10);
    const ofOthers = later.filter((entry) => others.some(({ key_id }) => key_id === entry.key_id));
    expect(ofOthers).toEqual([]);
  });

  test('if the server switches the playground off, the console has no link to it', async () => {
    const { page, open } = await onStage();
    await open('/console/');
    await page.getByRole('link', { name: 'Playground' }).waitFor();
    await open('/console/without-playground.html');
    await page.getByRole('link', { name: 'Keys', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Playground' }).count()).toBe(0);
  });

  test('a key can be created, rotated, disabled, destroyed and restored', async () => {
    const { page, stage } = await onStage(0);
    await stage.enter('/console/');
    // While the list is not there, the button stands elsewhere.
    await page.getByText('No keys yet').waitFor();
    const create = page.getByRole('button', { name: 'Create a key' });
    await create.focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor();
    expect(await page.evaluate('document.activeElement?.labels?.[0]?.textContent')).toBe('Name');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Create a key');

    await doing(stage, press('Create a key'), fill('Name', 'invoices'), press('Create the key'));
    await doing(stage, press('Rotate'), press('Rotate the key'));
    await page.getByRole('rowheader', { name: /^2 newest/ }).waitFor();
    await doing(stage, press('Close versions'), fill('Oldest version that opens', '2'), press('Save'));
    await page.getByRole('rowheader', { name: /^1 closed/ }).waitFor();
    await doing(stage, press('Disable'), press('Disable the key'), sees('It still decrypts.'));
    await doing(stage, press('Destroy'));
    const destroy = page.getByRole('button', { name: 'Destroy the key' });
    expect(await destroy.isEnabled()).toBe(false);
    await doing(stage, fill('Type invoices to confirm', 'invoices'), press('Destroy the key'));
    await doing(stage, sees(/Until then it can be restored/), press('Restore'), press('Restore the key'));
    await doing(stage, sees('It still decrypts.'));
  });

  test('the public key of an intake key can be downloaded, with its digest', async () => {
    const { page, stage } = await onStage(0);
    await stage.enter('/console/');
    await doing(
      stage,
      press('Create a key'),
      fill('Name', 'form'),
      click(/^Intake key/),
      press('Create the key'),
    );
    const shown = await page.getByRole('group', { name: 'Public key of version 1' }).innerText();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the public key of version 1' }).click();
    const file = await downloaded;
    const bytes = readFileSync(await file.path());
    const { keys } = await stage.client.keys.page();
    const { intake_public_key } = await stage.client.publicKey(keys[0]?.key_id ?? '');
    expect([bytes.toString(), shown]).toEqual([intake_public_key, intake_public_key]);
    expect(file.suggestedFilename()).toBe(`key-${keys[0]?.key_id}-v1.pub`);
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(await page.locator('.digest code').innerText()).toBe(digest);
  });

  test('the token of a new API key is shown once, and its allowed origins can be changed', async () => {
    const { page, stage } = await onStage(0);
    await stage.enter('/console/#/api-keys');
    await doing(stage, press('Create an API key'), fill('Name', 'reports'), click(/^keys.manage/));
    await doing(stage, click(/^Web pages of these/), fill('Allowed origins', 'https://app.example/login'));
    expect(await page.getByLabel(/^keys.manage/).isEnabled()).toBe(false);
    await doing(stage, press('Create the API key'), shows('.token code'));
    const token = await page.locator('.token code').innerText();
    expect(token).toMatch(/^eaas_sk_\w{49}$/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await doing(stage, press('I have stored it'), sees(/^app\.example$/), press('Edit reports'));
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(token);
    expect(await page.getByRole('button', { name: 'Save the changes' }).isEnabled()).toBe(false);
    await doing(stage, fill('Allowed origins', 'https://other.example'));
    await doing(stage, sees('Calls from web pages of https://app.example are refused.'));
    await doing(stage, press('Save the changes'), sees(/^other\.example$/), press('Revoke reports'));
    const end = token.slice(-4);
    await doing(stage, fill(`Type ${end} to confirm`, end), press('Revoke the API key'), sees('Revoked'));
    const { api_keys } = await stage.client.apiKeys.page();
    const named = api_keys.find(({ name }) => name === 'reports');
    expect(named).toMatchObject({ allowed_origins: ['https://other.example'] });
    expect(named?.revoked_at).not.toBeNull();
  });

  test('without the permission for usage, the page shows the command that makes an API key', async () => {
    const { page, stage } = await onStage(0);
    await stage.enterWithApiKey('/console/#/usage', ['keys.read']);
    const command = await page.getByRole('group', { name: 'In a terminal' }).innerText();
    expect(command).toContain('npx --no-install @eaas/cli api-key create --tenant <tenant> --name console');
    expect(command).toMatch(/--permissions \S*,usage\.read\b/);
    await doing(stage, press('Sign in with another API key'));
    await page.getByLabel('API key').waitFor();
  });

  test('choosing a state shows the first page of keys in this state', async () => {
    const { page, client, enter } = await onStage();
    const { key_id } = await client.keys.create({ name: 'old' });
    await client.keys.disable(key_id);
    for (let i = 0; i < 50; i++) await client.keys.create({ name: `app ${i}` });
    await enter('/console/#/keys');
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'old' }).waitFor();
    await page.getByLabel('State').selectOption('active');
    await page.getByRole('link', { name: 'app 49' }).waitFor();
    expect(await page.getByRole('link', { name: /^app/ }).count()).toBe(50);
  });

  test('an API key that may destroy keys opens the form, and a name with several spaces confirms it', async () => {
    const { page, client, stage } = await onStage();
    const { key_id } = await client.keys.create({ name: ' old  index ' });
    await client.keys.disable(key_id);
    const entries = async () => (await client.audit.page({ limit: 1 })).total ?? 0;
    const before = await entries();
    await stage.enterWithApiKey(`/console/#/keys/${key_id}`);
    await doing(stage, press('Destroy'), fill(/^Type/, 'old index'));
    // Of the API key of the sign-in: to open the form asks the service for nothing.
    expect(await entries()).toBe(before + 1);
    await doing(stage, press('Destroy the key'));
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    expect(await client.keys.get(key_id)).toMatchObject({ status: 'pending_destruction' });
  });

  test('the audit log shows names of actors if the session may list API keys, and else their ids', async () => {
    const { page, client, service, enter } = await onStage();
    const web = await service.createApiKey({ name: 'web', permissions: ['keys.manage'] });
    await new EaasClient({ ...service, apiKey: web.api_key }).keys.create({ name: 'made by web' });
    await client.keys.create({ name: 'made by another' });
    await enter('/console/#/audit');
    const rowOfWeb = page.getByRole('row', { name: /made by web/ });
    await rowOfWeb.getByText('web').nth(1).waitFor();
    await page.getByLabel('Actor').selectOption(web.api_key_id);
    await page.locator('tbody tr:only-child').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await enter('/console/#/audit', ['audit.read', 'keys.read']);
    await rowOfWeb.getByText(`${web.api_key_id.slice(0, 8)}…`).waitFor();
  });

  test('a subject is in no URL, history or storage of the browser, and the report says who read it', async () => {
    const { page, stage } = await onStage();
    const id = await seedPeople(stage);
    await stage.enterWithApiKey('/console/#/people', ['audit.read', 'subjects.erase']);
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await doing(stage, ...find(subject));
    await page.getByRole('row', { name: /refused/ }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(6);
    const read = async (name: string): Promise<string> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(
        new RegExp(`^person-${id.slice(0, 8)}-[\\d-]+\\.(csv|json)$`),
      );
      return readFileSync(await download.path(), 'utf8');
    };
    const rows = JSON.parse(await read('Report as JSON')) as ReportRow[];
    expect(await read('Report as CSV')).toBe(reportCsv(rows));
    expect(rows).toHaveLength(6);
    const confirm = fill(`Type ${subject} to confirm`, subject);
    const erased = sees('Keep its hash with the request');
    await doing(stage, press('Erase this person'), confirm, press('Erase for ever'), erased);
    expect((await stage.client.subjects.show({ subject })).erased_at).not.toBeNull();
    expect(page.url()).toBe(`${pages.url}/console/#/people`);
    const kept =
      'JSON.stringify([history.state, document.title, { ...localStorage }, { ...sessionStorage }])';
    expect(await page.evaluate(kept)).toBe('[null,"People · Eaas",{},{}]');
    expect(urls.length).toBeGreaterThan(5);
    expect(urls.filter((url) => url.includes(subject))).toEqual([]);
  });

  test('the audit log filters by person and user, and leads to the person', async () => {
    const { page, stage } = await onStage();
    const id = await seedPeople(stage);
    const { logs } = await stage.client.audit.page({ subject_id: id, limit: 1 });
    await stage.enter('/console/#/audit');
    const rows = () => page.locator('tbody tr').count();
    await page.getByLabel('Person').fill(id);
    await expect.poll(rows).toBe(6);
    await page.getByLabel('User').fill(String(logs[0]?.metadata['user']));
    await expect.poll(rows).toBe(2);
    await page
      .getByRole('button', { name: `Show the person ${id.slice(0, 8)}…` })
      .first()
      .click();
    await page.getByText('First half of the subject id').waitFor();
    await expect.poll(rows).toBe(6);
    expect(page.url()).toBe(`${pages.url}/console/#/people`);
  });

  test('a sign-in is accepted, changed and revoked', async () => {
    const { page, stage } = await onStage();
    await stage.client.keys.create({ name: 'patients' });
    await stage.enter('/console/#/sign-ins');
    const inDialog = (text: string) => () => page.locator('dialog').getByText(text).waitFor();
    await doing(stage, ...accepting(), accept, sees('The service accepts its tokens now.'), press('Close'));
    const longest = fill(/^Longest life/, '900');
    await doing(stage, press('Edit visitors'), longest, press('Save the changes'), press('Show visitors'));
    await doing(stage, inDialog('900 seconds'), inDialog('autumn'), press('Close'));
    const confirm = fill('Type visitors to confirm', 'visitors');
    await doing(stage, press('Revoke visitors'), confirm, press('Revoke the sign-in'));
    await page.locator('.badge').getByText('Revoked').waitFor();
    const { logs } = await stage.client.audit.page({ limit: 10 });
    const actions = logs.map(({ action }) => action).filter((action) => action.startsWith('issuer'));
    expect(actions).toEqual(['issuer.revoke', 'issuer.update', 'issuer.create']);
  });

  test('every step of the playground works with only the keyboard', async () => {
    const { page, enter } = await onStage();
    await enter('/');
    await page.getByText('The chain holds.').first().waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    for (const [button, result] of [
      ['Encrypt', page.getByText(/It is not there/)],
      ['Decrypt', page.locator('output')],
      ['Search', page.getByText(/has the fingerprint of row 42/)],
      ['Read it as this user', page.locator('#read td')],
      ['Rotate the key for real', page.getByText(/A new encryption of it/)],
      ['Erase the person', page.getByText('subject_erased')],
    ] as const) {
      for (let presses = 0; (await focused()) !== button && presses < 40; presses++) {
        await page.keyboard.press('Tab');
      }
      expect(await focused()).toBe(button);
      await page.keyboard.press('Enter');
      await result.first().waitFor();
    }
  });

  test('no filter of the audit log is wider than its place, so none overlaps the next', async () => {
    const { page, enter } = await onStage();
    await enter('/console/#/audit');
    await page.getByLabel('From').waitFor();
    for (const width of [1440, 1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const over = await page.evaluate<number[]>(`
        Array.from(document.querySelectorAll('.filters .field > :is(input, select)'), (input) =>
          input.getBoundingClientRect().right - input.parentElement.getBoundingClientRect().right)`);
      expect(Math.max(...over)).toBeLessThan(1);
    }
  });

  test('on a phone, the menu fits the screen, and a bar shows the newest audit entry', async () => {
    const { page, enter } = await onStage();
    await page.setViewportSize({ width: 390, height: 844 });
    await enter('/');
    const bar = page.getByRole('link', { name: /Audit log \d+ / });
    await bar.waitFor();
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 844 });
      const menu = "document.querySelector('.top nav')";
      expect(await page.evaluate(`${menu}.scrollWidth - ${menu}.clientWidth`)).toBe(0);
      expect(await page.evaluate("document.querySelector('.top').offsetHeight")).toBeLessThan(100);
    }
    const isSeen = (selector: string) =>
      page.evaluate<boolean>(
        `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector('${selector}').getBoundingClientRect())`,
      );
    await page.getByRole('button', { name: 'Encrypt', exact: true }).click();
    await page.getByRole('link', { name: /Audit log \d+ key\.wrap/ }).waitFor();
    expect([await isSeen('.live-bar'), await isSeen('#live-title')]).toEqual([true, false]);
    await bar.click();
    await expect.poll(() => isSeen('#live-title')).toBe(true);
  });

  test('the API page /docs is accessible, and leads to the console and back', async () => {
    const { page, complaints } = await openPage();
    const pages = await readConsolePages(true);
    const options = { apiPage: await readApiPage(), console: { pages, publicUrl: null } };
    const { port } = await listen(memoryService(), options);
    await page.goto(`http://127.0.0.1:${port}/docs`);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect({ width, colorScheme, violations: await violations(page) }).toMatchObject({ violations: [] });
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    await page.getByRole('link', { name: 'Console' }).click();
    await page.getByRole('link', { name: 'API reference' }).waitFor();
    expect(page.url()).toContain('/console/');
    await page.goto(`http://127.0.0.1:${port}/docs`);
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('link', { name: 'API reference' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('the playground of `eaas dev` works after the sign-in, and sends and keeps no value', async () => {
    const folder = await newDirectory();
    const { child, stdout, stderr } = launch([...eaas, 'dev'], { EAAS_PORT: '0' }, folder);
    const ended = once(child, 'close');
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    const printed = /^Playground +(\S+)$/m;
    await vi.waitUntil(() => child.exitCode !== null || printed.test(stdout()), { timeout: 250_000 });
    const [, address = ''] = printed.exec(stdout()) ?? [];
    if (address === '') {
      throw new Error(`\`eaas dev\` did not print the URL of the playground:\n${stdout()}${stderr()}`);
    }
    const { page } = await openPage();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    const value = 'grace.hopper@example.com';
    await page.goto(address);
    await page.getByText('The chain holds.').first().waitFor();
    await page.getByRole('textbox', { name: 'Value' }).fill(value);
    await playAll(page);
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
    for (const spelling of [value, encodeURIComponent(value), bytes.toString('hex')]) {
      expect(sent.filter((request) => request.toLowerCase().includes(spelling))).toEqual([]);
    }
    expect(sent.filter((request) => request.includes(bytes.toString('base64').slice(0, 30)))).toEqual([]);
    await page.goto(new URL('/?again', address).href);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  const pictures = process.env['EAAS_PICTURES'];
  test.each(Object.entries(states))(
    '%s: the page is accessible on wide and narrow screens in both colour modes',
    async (name, steps) => {
      const { page, complaints } = await openPage();
      await page.setViewportSize({ width: 1440, height: 900 });
      await doing(openStage(page, pages), ...steps);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          expect({ width, colorScheme, violations: await violations(page) }).toMatchObject({
            violations: [],
          });
          if (pictures) {
            await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) });
          }
        }
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
      // Chromium logs each request that failed. In some states, requests must fail.
      expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
    },
  );
});
