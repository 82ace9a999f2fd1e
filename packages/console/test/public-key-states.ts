import type { Permission } from '@eaas/protocol/wire';
import { createIntake } from '@eaas/sdk/intake';
import { history, type Reach, failing, type Stage, type States } from './stage.ts';

const press = ({ page }: Stage, name: string) => page.getByRole('button', { name, exact: true }).click();

async function createForm({ client, pass }: Stage): Promise<string> {
  // Sets the clock of the service to the present, because the pages show times relative to the clock of the browser.
  pass(history);
  const { key_id: keyId } = await client.keys.create({ name: 'contact-form', intake: true });
  const { intakePublicKey } = await client.publicKey(keyId);
  const { ciphertext } = await createIntake({ publicKey: intakePublicKey ?? '' }).encrypt('Please call me.');
  await client.keys.rotate({ key_id: keyId });
  await client.decrypt(ciphertext, { keyId });
  return keyId;
}

async function openKey(stage: Stage, keyId: string, some?: readonly Permission[]): Promise<void> {
  await stage.enter(`/console/#/keys/${keyId}`, some);
  await stage.page.getByRole('heading', { name: 'Versions' }).waitFor();
}

async function openForm(stage: Stage): Promise<string> {
  const keyId = await createForm(stage);
  await openKey(stage, keyId);
  await stage.page.getByRole('group', { name: 'Public key of version 2' }).waitFor();
  return keyId;
}

/** An intake key that is disabled, pending destruction or destroyed has no public key. */
function inState(status: 'disabled' | 'pending' | 'destroyed', text: RegExp): Reach {
  return async (stage) => {
    const key_id = await createForm(stage);
    await stage.client.keys.disable({ key_id });
    const grace_days = status === 'pending' ? 30 : 0;
    if (status !== 'disabled') await stage.client.keys.destroy({ key_id, grace_days });
    await openKey(stage, key_id);
    await stage.page.getByText(text).waitFor();
  };
}

export const publicKeyStates: States = {
  'keys-create-intake': async (stage) => {
    await stage.enter('/console/#/keys');
    await stage.page.getByRole('button', { name: 'Create a key' }).first().click();
    await stage.page.getByLabel('Name').fill('contact-form');
    await stage.page.getByLabel(/^Intake key/).click();
  },
  'key-intake': async (stage) => {
    await openForm(stage);
    await stage.page.getByText('still in use').first().waitFor();
    await stage.page.getByText('How a page writes with it').click();
  },
  'key-intake-rotate': async (stage) => {
    await openForm(stage);
    await press(stage, 'Rotate');
    await stage.page.getByText(/its own public key/).waitFor();
  },
  'key-intake-rotated': async (stage) => {
    await openForm(stage);
    await press(stage, 'Rotate');
    await press(stage, 'Rotate the key');
    await stage.page.getByRole('group', { name: 'Public key of version 3' }).waitFor();
    await stage.page.getByText('Version 3 has a new public key.').waitFor();
  },
  'key-intake-disable': async (stage) => {
    await openForm(stage);
    await press(stage, 'Disable');
    await stage.page.getByText(/Writers keep writing/).waitFor();
  },
  'key-intake-disabled': inState('disabled', /nobody can stop them/),
  'key-intake-being-destroyed': inState('pending', /only after you restore the key/),
  'key-intake-destroyed': inState('destroyed', /nobody can ever read/),
  'key-intake-destroy': async (stage) => {
    await inState('disabled', /nobody can stop them/)(stage);
    await press(stage, 'Destroy');
    await stage.page.getByText(/Take their forms down first/).waitFor();
  },
  'key-public-keys-loading': async (stage) => {
    stage.setAway('silent', '/public-key');
    await openKey(stage, await createForm(stage));
    await stage.page.getByText('Loading the public key').waitFor();
  },
  'key-public-keys-forbidden': failing(async (stage) => {
    await openKey(stage, await createForm(stage), ['keys.read', 'keys.manage']);
    await stage.page.getByText('To see the public key:').waitFor();
  }),
  'key-public-keys-service-away': failing(async (stage) => {
    stage.setAway('unreachable', '/public-key');
    await openKey(stage, await createForm(stage));
    await stage.page.locator('.public-keys .failure.away').waitFor();
  }),
  'key-disabled-in-another-tab': failing(async (stage) => {
    const key_id = await createForm(stage);
    stage.pages.setApi(async (request) => {
      if (request.url.endsWith('/public-key')) await stage.client.keys.disable({ key_id });
      return stage.respond(request);
    });
    await openKey(stage, key_id);
    await stage.page.locator('.public-keys .failure.refused').waitFor();
  }),
};
