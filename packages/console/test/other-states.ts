import type { Permission } from '@eaas/protocol/wire';
import { seed } from './seed.ts';
import { failing, forbidden, type Stage, type States } from './stage.ts';

const apiKeys = '/console/#/api-keys';
const usage = '/console/#/usage';

async function openApiKeys(stage: Stage): Promise<void> {
  await seed(stage);
  await stage.enter(apiKeys);
  await stage.page.getByRole('table').waitFor();
}

async function openEdit(stage: Stage, name: string, some?: readonly Permission[]): Promise<void> {
  await seed(stage);
  await stage.enter(apiKeys, some);
  await stage.page.getByRole('button', { name: `Edit ${name}` }).click();
  await stage.page.locator('dialog input[name=keys]:enabled').nth(1).waitFor();
}

const save = ({ page }: Stage) => page.getByRole('button', { name: 'Save the changes' }).click();

export const otherStates: States = {
  'api-keys': openApiKeys,
  'api-keys-forbidden': forbidden(apiKeys, ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'audit.read']),
  'api-keys-create': async (stage) => {
    await openApiKeys(stage);
    await stage.page.getByRole('button', { name: 'Create an API key' }).click();
    await stage.page.getByLabel('Name').fill('invoices');
    await stage.page.getByLabel('Only these').click();
    await stage.page.getByLabel(/^billing/).click();
  },
  'api-keys-create-for-old-key': async (stage) => {
    for (let each = 0; each <= 220; each++) await stage.client.keys.create({ name: `key ${each}` });
    await stage.enter(apiKeys);
    await stage.page.getByRole('button', { name: 'Create an API key' }).click();
    await stage.page.getByLabel('Only these').click();
    await stage.page.getByText('These are the newest 100 of 221 keys.').waitFor();
    await stage.page.getByRole('button', { name: 'Show more' }).click();
    await stage.page.getByText('These are the newest 200 of 221 keys.').waitFor();
    await stage.page.getByLabel(/^key 21 /).click();
  },
  'api-keys-create-for-pages': async (stage) => {
    await openApiKeys(stage);
    await stage.page.getByRole('button', { name: 'Create an API key' }).click();
    await stage.page.getByLabel('Name').fill('sign-up form');
    await stage.page.getByLabel(/^Web pages of these/).click();
    await stage.page.getByLabel('Allowed origins').fill('https://app.example\nhttps://admin.example');
    await stage.page.getByLabel('Expires').selectOption('date');
    await stage.page.getByLabel('Date and time').fill('2030-01-31T12:00');
  },
  'api-keys-create-refused': failing(async (stage) => {
    await openApiKeys(stage);
    await stage.page.getByRole('button', { name: 'Create an API key' }).click();
    await stage.page.getByLabel('Name').fill('sign-up form');
    await stage.page.getByLabel(/^Web pages of these/).click();
    await stage.page.getByLabel('Allowed origins').fill('app.example');
    await stage.page.getByRole('button', { name: 'Create the API key' }).click();
    await stage.page.locator('dialog .failure').waitFor();
  }),
  'api-keys-created': async (stage) => {
    await openApiKeys(stage);
    await stage.page.getByRole('button', { name: 'Create an API key' }).click();
    await stage.page.getByLabel('Name').fill('invoices');
    await stage.page.getByRole('button', { name: 'Create the API key' }).click();
    await stage.page.getByText('It is shown this once').waitFor();
  },
  'api-keys-edit': (stage) => openEdit(stage, 'web'),
  'api-keys-edit-consequences': async (stage) => {
    await openEdit(stage, 'web');
    await stage.page.getByLabel(/^decrypt/).click();
    await stage.page.getByLabel(/^keys.read/).click();
    await stage.page.getByLabel(/^billing/).click();
    await stage.page.getByLabel('Expires').selectOption('30');
    await stage.page.getByRole('heading', { name: 'From the moment you save' }).waitFor();
    await stage.page.getByRole('button', { name: 'Save the changes' }).focus();
  },
  'api-keys-edit-for-pages': async (stage) => {
    await openEdit(stage, 'booking-page');
    await stage.page.getByLabel('Allowed origins').fill('https://booking.example');
    await stage.page.getByRole('heading', { name: 'From the moment you save' }).waitFor();
  },
  'api-keys-edit-saving': async (stage) => {
    await openEdit(stage, 'web');
    await stage.page.getByLabel('Name').fill('website');
    stage.setAway('silent');
    await save(stage);
    await stage.page.getByText('Saving').first().waitFor();
  },
  'api-keys-edit-forbidden': failing(async (stage) => {
    await openEdit(stage, 'web', ['api_keys.manage', 'keys.read']);
    await stage.page.getByLabel(/^keys.manage/).click();
    await save(stage);
    await stage.page.locator('dialog .failure.forbidden').waitFor();
  }),
  'api-keys-edit-service-away': failing(async (stage) => {
    await openEdit(stage, 'web');
    await stage.page.getByLabel('Name').fill('website');
    stage.setAway('unreachable');
    await save(stage);
    await stage.page.locator('dialog .failure.away').waitFor();
  }),
  'api-keys-edit-expired': failing(async (stage) => {
    await openEdit(stage, 'web');
    await stage.page.getByLabel('Name').fill('website');
    stage.pages.setApi(async () => Response.json({ code: 'unauthorized', detail: 'no' }, { status: 401 }));
    await save(stage);
    await stage.page.getByText(/has expired or was revoked/).waitFor();
  }),
  'api-keys-revoke': async (stage) => {
    await openApiKeys(stage);
    await stage.page.getByRole('button', { name: 'Revoke web' }).click();
    await stage.page.locator('dialog').waitFor();
  },
  usage: async (stage) => {
    await seed(stage);
    stage.service.setTenant({ monthlyEncryptQuota: 5_000 });
    await stage.enter(usage);
    await stage.page.getByRole('table').waitFor();
  },
  'usage-empty': async ({ enter, page }) => {
    await enter(usage);
    await page.getByText('Nothing was used yet').waitFor();
  },
  'usage-forbidden': forbidden(usage, ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'audit.read']),
};
