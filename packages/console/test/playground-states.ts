import { keyName } from '../src/playground/own-key.ts';
import type { Page } from '@eaas/test-kit/chromium';
import { seed } from './seed.ts';
import { failing, type Stage, type States } from './stage.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

async function withKey(stage: Stage): Promise<void> {
  await stage.enter('/');
  await seen(stage.page, 'The chain holds.');
}

export async function playAll(page: Page): Promise<void> {
  await press(page, 'Encrypt');
  await seen(page, /It is not there/);
  await press(page, 'Decrypt');
  await page.locator('output').first().waitFor();
  await press(page, 'Search');
  await seen(page, /has the fingerprint of row 42/);
  await press(page, 'Read it as this user');
  await page.locator('#read td').first().waitFor();
  await press(page, 'Rotate the key for real');
  // With an API key that a user pasted, the page asks first.
  const rotate = page.getByRole('button', { name: 'Rotate the key', exact: true });
  const result = page.getByText(/A new encryption of it/).first();
  await Promise.race([rotate.waitFor(), result.waitFor()]);
  if ((await rotate.count()) > 0) await rotate.click();
  await result.waitFor();
  await press(page, 'Erase the person');
  await seen(page, 'subject_erased');
  await page.getByRole('log').getByText('subject.erase').waitFor();
}

export const playgroundStates: States = {
  'sign-in': async ({ open, page }) => {
    await open('/');
    await page.getByLabel('API key').waitFor();
  },
  'sign-in-busy': async ({ open, page, setAway }) => {
    await open('/');
    setAway('silent');
    await page.getByLabel('API key').fill(`eaas_sk_${'0'.repeat(43)}4C34ms`);
    await press(page, 'Sign in');
    await seen(page, 'Signing in…');
  },
  'sign-in-code-refused': failing(async ({ open, page }) => {
    await open(`/#code=${'a'.repeat(43)}`);
    await seen(page, /not valid any more/);
  }),
  'sign-in-api-key-refused': failing(async ({ open, page }) => {
    await open('/console/#/audit');
    await page.getByLabel('API key').fill(`eaas_sk_${'0'.repeat(43)}4C34ms`);
    await press(page, 'Sign in');
    await seen(page, /does not accept this API key/);
  }),
  'sign-in-not-an-api-key': async ({ open, page }) => {
    await open('/');
    await page.getByLabel('API key').fill('hunter2');
    await press(page, 'Sign in');
    await seen(page, /not an API key/);
  },
  'sign-in-service-away': failing(async ({ open, page, setAway }) => {
    await open('/');
    setAway('unreachable');
    await page.getByLabel('API key').fill(`eaas_sk_${'0'.repeat(43)}4C34ms`);
    await press(page, 'Sign in');
    await seen(page, /does not respond/);
  }),
  'playground-start': withKey,
  'playground-encrypted': async (stage) => {
    await withKey(stage);
    await press(stage.page, 'Encrypt');
    await seen(stage.page, /It is not there/);
  },
  'playground-played': failing(async (stage) => {
    await withKey(stage);
    await playAll(stage.page);
  }),
  'playground-erased-then-decrypted': failing(async (stage) => {
    await withKey(stage);
    await press(stage.page, 'Encrypt');
    await press(stage.page, 'Erase the person');
    await seen(stage.page, 'subject_erased');
    await press(stage.page, 'Decrypt');
    await stage.page.locator('#encrypt .failure').waitFor();
  }),
  'playground-create-forbidden': failing(async (stage) => {
    await stage.enterWithApiKey('/', ['encrypt', 'decrypt', 'keys.read']);
    await press(stage.page, 'Create the key');
    await seen(stage.page, 'Your API key lacks the permission');
  }),
  'playground-no-audit': failing(async (stage) => {
    await stage.client.keys.create({ name: keyName });
    await stage.enter('/', ['encrypt', 'decrypt', 'keys.read']);
    await seen(stage.page, /may not read the audit log/);
  }),
  'playground-asks-to-create': async (stage) => {
    await stage.client.keys.create({ name: 'production' });
    await stage.enterWithApiKey('/');
    await seen(stage.page, 'The playground needs a key of its own');
  },
  'playground-asks-to-use': async (stage) => {
    await stage.client.keys.create({ name: keyName });
    await stage.enterWithApiKey('/');
    await seen(stage.page, 'Is this key the playground’s?');
  },
  'playground-key-disabled': async (stage) => {
    const { key_id } = await stage.client.keys.create({ name: keyName });
    await stage.client.keys.disable({ key_id });
    await stage.enter('/');
    await seen(stage.page, `The playground cannot use ${keyName}`);
  },
  'playground-asks-to-rotate': async (stage) => {
    await stage.enterWithApiKey('/');
    await press(stage.page, 'Create the key');
    await press(stage.page, 'Encrypt');
    await press(stage.page, 'Rotate the key for real');
    await stage.page.locator('dialog').waitFor();
  },
  'playground-key-unknown': failing(async (stage) => {
    await stage.enter('/', ['encrypt', 'decrypt']);
    await seen(stage.page, /lacks the permission/);
  }),
  'playground-broken-chain': async (stage) => {
    await seed(stage);
    const [newest] = (await stage.client.audit.page({ limit: 1 })).logs;
    stage.service.tamper((newest?.id ?? 0) - 3, { ip_address: '203.0.113.9' });
    await stage.enter('/');
    await seen(stage.page, /The chain breaks/);
  },
  'playground-service-away': failing(async (stage) => {
    await withKey(stage);
    stage.setAway('unreachable');
    await press(stage.page, 'Encrypt');
    await stage.page.locator('#encrypt .failure').waitFor();
    await seen(stage.page, /This page goes on as soon as it does/);
  }),
  'playground-expired': failing(async (stage) => {
    await withKey(stage);
    stage.pages.setApi(async () => Response.json({ code: 'unauthorized', detail: 'no' }, { status: 401 }));
    await seen(stage.page, /has expired or was revoked/);
  }),
};
