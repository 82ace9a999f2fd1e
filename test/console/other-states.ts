import { seed } from './seed.ts';
import type { Stage } from './stage.ts';
import type { State } from './states.ts';

const apiKeys = '/console/#/api-keys';
const usage = '/console/#/usage';

async function openApiKeys(stage: Stage): Promise<void> {
  await seed(stage);
  await stage.enter(apiKeys);
  await stage.page.getByRole('table').waitFor();
}

export const otherStates: readonly State[] = [
  { name: 'api-keys', reach: openApiKeys },
  {
    name: 'api-keys-forbidden',
    fails: true,
    reach: async ({ enter, page }) => {
      await enter(apiKeys, ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'audit.read']);
      await page.getByText('This API key may not do that').first().waitFor();
    },
  },
  {
    name: 'api-keys-create',
    reach: async (stage) => {
      await openApiKeys(stage);
      await stage.page.getByRole('button', { name: 'Create an API key' }).click();
      await stage.page.getByLabel('Name').fill('invoices');
      await stage.page.getByLabel('Only these').click();
      await stage.page.getByLabel(/^billing/).click();
    },
  },
  {
    name: 'api-keys-created',
    reach: async (stage) => {
      await openApiKeys(stage);
      await stage.page.getByRole('button', { name: 'Create an API key' }).click();
      await stage.page.getByLabel('Name').fill('invoices');
      await stage.page.getByRole('button', { name: 'Create the API key' }).click();
      await stage.page.getByText('It is shown this once').waitFor();
    },
  },
  {
    name: 'api-keys-revoke',
    reach: async (stage) => {
      await openApiKeys(stage);
      await stage.page.getByRole('button', { name: 'Revoke web' }).click();
      await stage.page.locator('dialog').waitFor();
    },
  },
  {
    name: 'usage',
    reach: async (stage) => {
      await seed(stage);
      stage.service.setTenant({ monthlyEncryptQuota: 5_000 });
      await stage.enter(usage);
      await stage.page.locator('.chart canvas').waitFor();
    },
  },
  {
    name: 'usage-empty',
    reach: async ({ enter, page }) => {
      await enter(usage);
      await page.getByText('Nothing was used yet').waitFor();
    },
  },
  {
    name: 'usage-forbidden',
    fails: true,
    reach: async ({ enter, page }) => {
      await enter(usage, ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'audit.read']);
      await page.getByText('This API key may not do that').first().waitFor();
    },
  },
];
