import { generateKeyPairSync } from 'node:crypto';
import type { Permission } from '@eaas/protocol/wire';
import { seed } from './seed.ts';
import { failing, forbidden, type Stage, type States } from './stage.ts';

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

export const keyStates: States = {
  keys: async (stage) => {
    await seed(stage);
    await stage.enter(list);
    await stage.page.getByRole('link', { name: 'patients' }).waitFor();
  },
  'keys-empty': async ({ enter, page }) => {
    await enter(list);
    await page.getByText('No keys yet').waitFor();
  },
  'keys-loading': async ({ enter, page, setAway }) => {
    await enter('/');
    setAway('silent');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByText('Loading the keys').waitFor();
  },
  'keys-forbidden': forbidden(list, ['audit.read']),
  'keys-service-away': failing(async (stage) => {
    await stage.enter('/console/#/usage');
    await stage.page.getByText('Nothing was used yet').waitFor();
    stage.setAway('unreachable');
    await stage.page.getByRole('link', { name: 'Keys', exact: true }).click();
    await stage.page.locator('.failure.away').waitFor();
  }),
  'keys-create': async ({ enter, page }) => {
    await enter(list);
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    await page.getByLabel('Name').fill('patients');
  },
  'keys-create-refused': failing(async (stage) => {
    await seed(stage);
    await stage.enter(list);
    await stage.page.getByRole('button', { name: 'Create a key' }).click();
    await stage.page.getByLabel('Name').fill('patients');
    await stage.page.getByRole('button', { name: 'Create the key' }).click();
    await stage.page.locator('dialog .failure').waitFor();
  }),
  key: (stage) => openKey(stage, 'patients'),
  'key-disabled': (stage) => openKey(stage, 'legacy-import'),
  'key-being-destroyed': (stage) => openKey(stage, 'archive-2024'),
  'key-close-versions': (stage) => openDialog(stage, 'patients', 'Close versions'),
  'key-destroyed': (stage) => openKey(stage, 'old-index'),
  'key-export': async (stage) => {
    await openExport(stage, '');
    await stage.page.getByText('How to make one').click();
  },
  'key-export-not-a-public-key': async (stage) => {
    await openExport(stage, 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ');
    await exportIt(stage);
    await stage.page.locator('dialog .failure').waitFor();
  },
  'key-export-forbidden': failing(async (stage) => {
    await openExport(stage, String(publicKey), ['keys.read', 'keys.manage']);
    await exportIt(stage);
    await stage.page.locator('dialog .failure.forbidden').waitFor();
  }),
  'key-export-exporting': async (stage) => {
    await openExport(stage, String(publicKey));
    stage.setAway('silent');
    await exportIt(stage);
    await stage.page.getByText('Exporting').first().waitFor();
  },
  'key-export-service-away': failing(async (stage) => {
    await openExport(stage, String(publicKey));
    stage.setAway('unreachable');
    await exportIt(stage);
    await stage.page.locator('dialog .failure.away').waitFor();
  }),
  'key-exported': async (stage) => {
    await openExport(stage, String(publicKey));
    await exportIt(stage);
    await stage.page.getByText('The key is exported').waitFor();
  },
  'key-unknown': failing(async ({ enter, page }) => {
    await enter(`${list}/00000000-0000-4000-8000-000000000000`);
    await page.locator('.failure').waitFor();
  }),
  'key-rotate': (stage) => openDialog(stage, 'patients', 'Rotate'),
  'key-disable': (stage) => openDialog(stage, 'patients', 'Disable'),
  'key-destroy-forbidden': failing(async (stage) => {
    const ids = await seed(stage);
    await stage.enterWithApiKey(`${list}/${ids['legacy-import']}`, ['keys.read', 'keys.manage']);
    await stage.page.getByRole('button', { name: 'Destroy', exact: true }).click();
    await stage.page.locator('dialog').getByText('Your API key lacks the permission').waitFor();
  }),
  'key-destroy': async (stage) => {
    await openDialog(stage, 'legacy-import', 'Destroy');
    await stage.page.getByLabel('Type legacy-import to confirm').fill('legacy');
  },
};
