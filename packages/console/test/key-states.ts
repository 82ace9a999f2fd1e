import { generateKeyPairSync } from 'node:crypto';
import type { Permission } from '@eaas/protocol/wire';
import { seed } from './seed.ts';
import type { Stage } from './stage.ts';
import type { State } from './states.ts';

const list = '/console/#/keys';

async function openKey(stage: Stage, name: string): Promise<void> {
  const ids = await seed(stage);
  await stage.enter(`${list}/${ids[name]}`);
  await stage.page.getByRole('heading', { name: 'Versions' }).waitFor();
}

async function openDialog(stage: Stage, name: string, button: string): Promise<void> {
  await openKey(stage, name);
  await stage.page.getByRole('button', { name: button, exact: true }).click();
  await stage.page.locator('dialog').waitFor();
}

const publicKey = generateKeyPairSync('rsa', { modulusLength: 3_072 }).publicKey.export({
  type: 'spki',
  format: 'pem',
});

async function openExport(stage: Stage, key: string, some?: readonly Permission[]): Promise<void> {
  const { key_id } = await stage.client.keys.create({ name: 'escrow', exportable: true });
  await stage.client.keys.rotate({ key_id });
  await stage.enter(`${list}/${key_id}`, some);
  await stage.page.getByRole('button', { name: 'Export', exact: true }).click();
  await stage.page.getByLabel('RSA public key').fill(key);
  await stage.page.getByLabel('Type escrow to confirm').fill('escrow');
}

const exportIt = ({ page }: Stage) => page.getByRole('button', { name: 'Export the key' }).click();

export const keyStates: readonly State[] = [
  {
    name: 'keys',
    reach: async (stage) => {
      await seed(stage);
      await stage.enter(list);
      await stage.page.getByRole('link', { name: 'patients' }).waitFor();
    },
  },
  {
    name: 'keys-empty',
    reach: async ({ enter, page }) => {
      await enter(list);
      await page.getByText('No keys yet').waitFor();
    },
  },
  {
    name: 'keys-loading',
    reach: async ({ enter, page, setAway }) => {
      await enter('/');
      setAway('silent');
      await page.getByRole('link', { name: 'Keys', exact: true }).click();
      await page.getByText('Loading the keys').waitFor();
    },
  },
  {
    name: 'keys-forbidden',
    fails: true,
    reach: async ({ enter, page }) => {
      await enter(list, ['audit.read']);
      await page.getByText('Your API key lacks the permission').waitFor();
    },
  },
  {
    name: 'keys-service-away',
    fails: true,
    reach: async (stage) => {
      await stage.enter('/console/#/usage');
      await stage.page.getByText('Nothing was used yet').waitFor();
      stage.setAway('unreachable');
      await stage.page.getByRole('link', { name: 'Keys', exact: true }).click();
      await stage.page.locator('.failure.away').waitFor();
    },
  },
  {
    name: 'keys-create',
    reach: async ({ enter, page }) => {
      await enter(list);
      await page.getByRole('button', { name: 'Create a key' }).first().click();
      await page.getByLabel('Name').fill('patients');
    },
  },
  {
    name: 'keys-create-refused',
    fails: true,
    reach: async (stage) => {
      await seed(stage);
      await stage.enter(list);
      await stage.page.getByRole('button', { name: 'Create a key' }).click();
      await stage.page.getByLabel('Name').fill('patients');
      await stage.page.getByRole('button', { name: 'Create the key' }).click();
      await stage.page.locator('dialog .failure').waitFor();
    },
  },
  { name: 'key', reach: (stage) => openKey(stage, 'patients') },
  { name: 'key-disabled', reach: (stage) => openKey(stage, 'legacy-import') },
  { name: 'key-being-destroyed', reach: (stage) => openKey(stage, 'archive-2024') },
  { name: 'key-close-versions', reach: (stage) => openDialog(stage, 'patients', 'Close versions') },
  { name: 'key-destroyed', reach: (stage) => openKey(stage, 'old-index') },
  {
    name: 'key-export',
    reach: async (stage) => {
      await openExport(stage, '');
      await stage.page.getByText('How to make one').click();
    },
  },
  {
    name: 'key-export-not-a-public-key',
    reach: async (stage) => {
      await openExport(stage, 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ');
      await exportIt(stage);
      await stage.page.locator('dialog .failure').waitFor();
    },
  },
  {
    name: 'key-export-forbidden',
    fails: true,
    reach: async (stage) => {
      await openExport(stage, String(publicKey), ['keys.read', 'keys.manage']);
      await exportIt(stage);
      await stage.page.locator('dialog .failure.forbidden').waitFor();
    },
  },
  {
    name: 'key-export-exporting',
    reach: async (stage) => {
      await openExport(stage, String(publicKey));
      stage.setAway('silent');
      await exportIt(stage);
      await stage.page.getByText('Exporting').first().waitFor();
    },
  },
  {
    name: 'key-export-service-away',
    fails: true,
    reach: async (stage) => {
      await openExport(stage, String(publicKey));
      stage.setAway('unreachable');
      await exportIt(stage);
      await stage.page.locator('dialog .failure.away').waitFor();
    },
  },
  {
    name: 'key-exported',
    reach: async (stage) => {
      await openExport(stage, String(publicKey));
      await exportIt(stage);
      await stage.page.getByText('The key is exported').waitFor();
    },
  },
  {
    name: 'key-unknown',
    fails: true,
    reach: async ({ enter, page }) => {
      await enter(`${list}/00000000-0000-4000-8000-000000000000`);
      await page.locator('.failure').waitFor();
    },
  },
  { name: 'key-rotate', reach: (stage) => openDialog(stage, 'patients', 'Rotate') },
  { name: 'key-disable', reach: (stage) => openDialog(stage, 'patients', 'Disable') },
  {
    name: 'key-destroy-forbidden',
    fails: true,
    reach: async (stage) => {
      const ids = await seed(stage);
      await stage.enterWithApiKey(`${list}/${ids['legacy-import']}`, ['keys.read', 'keys.manage']);
      await stage.page.getByRole('button', { name: 'Destroy', exact: true }).click();
      await stage.page.locator('dialog').getByText('Your API key lacks the permission').waitFor();
    },
  },
  {
    name: 'key-destroy',
    reach: async (stage) => {
      await openDialog(stage, 'legacy-import', 'Destroy');
      await stage.page.getByLabel('Type legacy-import to confirm').fill('legacy');
    },
  },
];
