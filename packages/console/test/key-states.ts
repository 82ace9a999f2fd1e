import { generateKeyPairSync } from 'node:crypto';
import type { Permission } from '@eaas/protocol/wire';
import { createIntake } from '@eaas/sdk/intake';
import { seed } from './seed.ts';
import { history, type Stage } from './stage.ts';
import {
  away,
  click,
  enter,
  failing,
  fill,
  follow,
  press,
  seeded,
  sees,
  shows,
  type States,
  type Step,
} from './steps.ts';

const list = '/console/#/keys';
const versions: Step = ({ page }) => page.getByRole('heading', { name: 'Versions' }).waitFor();

const openKey =
  (name: string): Step =>
  async (stage) => {
    const ids = await seed(stage);
    await stage.enter(`${list}/${ids[name]}`);
    await versions(stage);
  };
const openDialog = (name: string, button: string) => [openKey(name), press(button), shows('dialog')];

const publicKey = generateKeyPairSync('rsa', { modulusLength: 3_072 }).publicKey.export({
  type: 'spki',
  format: 'pem',
});

const exporting = (key: string, some?: readonly Permission[]): readonly Step[] => [
  async ({ client, enter }) => {
    const { key_id } = await client.keys.create({ name: 'escrow', exportable: true });
    await client.keys.rotate({ key_id });
    await enter(`${list}/${key_id}`, some);
  },
  press('Export'),
  fill('RSA public key', key),
  fill('Type escrow to confirm', 'escrow'),
];
const exportIt = press('Export the key');

type Unusable = 'disabled' | 'pending' | 'destroyed';

/** Opens an intake key with two versions, or one that has no public key, because of its state. */
const openForm =
  (prepare: (stage: Stage, key_id: string) => unknown = () => {}, some?: readonly Permission[]): Step =>
  async (stage) => {
    const { client, pass } = stage;
    // Sets the clock of the service to the present, because the pages show times relative to the clock of the browser.
    pass(history);
    const { key_id: keyId } = await client.keys.create({ name: 'contact-form', intake: true });
    const { intakePublicKey } = await client.publicKey(keyId);
    const { ciphertext } = await createIntake({ publicKey: intakePublicKey ?? '' }).encrypt(
      'Please call me.',
    );
    await client.keys.rotate({ key_id: keyId });
    await client.decrypt(ciphertext, { keyId });
    await prepare(stage, keyId);
    await stage.enter(`${list}/${keyId}`, some);
    await versions(stage);
  };
const usable = [openForm(), shows('[aria-label="Public key of version 2"]')];

const unusable = (state: Unusable, text: RegExp): readonly Step[] => [
  openForm(async ({ client }, key_id) => {
    await client.keys.disable({ key_id });
    const grace_days = state === 'pending' ? 30 : 0;
    if (state !== 'disabled') await client.keys.destroy({ key_id, grace_days });
  }),
  sees(text),
];

export const keyStates: States = {
  keys: [seeded, enter(list), sees('patients')],
  'keys-empty': [enter(list), sees('No keys yet')],
  'keys-loading': [enter('/'), away('silent'), follow('Keys'), sees('Loading the keys')],
  'keys-service-away': failing(
    enter('/console/#/usage'),
    sees('Nothing was used yet'),
    away('unreachable'),
    follow('Keys'),
    shows('.failure.away'),
  ),
  'keys-create': [enter(list), press('Create a key'), fill('Name', 'patients')],
  'keys-create-intake': [enter(list), press('Create a key'), fill('Name', 'form'), click(/^Intake key/)],
  'keys-create-refused': failing(
    seeded,
    enter(list),
    press('Create a key'),
    fill('Name', 'patients'),
    press('Create the key'),
    shows('dialog .failure'),
  ),
  key: [openKey('patients')],
  'key-disabled': [openKey('legacy-import')],
  'key-being-destroyed': [openKey('archive-2024')],
  'key-destroyed': [openKey('old-index')],
  'key-unknown': failing(enter(`${list}/00000000-0000-4000-8000-000000000000`), shows('.failure')),
  'key-rotate': openDialog('patients', 'Rotate'),
  'key-close-versions': openDialog('patients', 'Close versions'),
  'key-disable': openDialog('patients', 'Disable'),
  'key-destroy': [...openDialog('legacy-import', 'Destroy'), fill('Type legacy-import to confirm', 'legacy')],
  'key-destroy-forbidden': failing(
    async (stage) => {
      const ids = await seed(stage);
      await stage.enterWithApiKey(`${list}/${ids['legacy-import']}`, ['keys.read', 'keys.manage']);
    },
    press('Destroy'),
    ({ page }) => page.locator('dialog').getByText('Your API key lacks the permission').waitFor(),
  ),
  'key-export': [...exporting(''), ({ page }) => page.getByText('How to make one').click()],
  'key-export-not-a-public-key': [
    ...exporting('ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ'),
    exportIt,
    shows('dialog .failure'),
  ],
  'key-export-forbidden': failing(
    ...exporting(String(publicKey), ['keys.read', 'keys.manage']),
    exportIt,
    shows('dialog .failure.forbidden'),
  ),
  'key-export-exporting': [...exporting(String(publicKey)), away('silent'), exportIt, sees('Exporting')],
  'key-export-service-away': failing(
    ...exporting(String(publicKey)),
    away('unreachable'),
    exportIt,
    shows('dialog .failure.away'),
  ),
  'key-exported': [...exporting(String(publicKey)), exportIt, sees('The key is exported')],
  'key-intake': [
    ...usable,
    sees('still in use'),
    ({ page }) => page.getByText('How a page writes with it').click(),
  ],
  'key-intake-rotate': [...usable, press('Rotate'), sees(/its own public key/)],
  'key-intake-rotated': [
    ...usable,
    press('Rotate'),
    press('Rotate the key'),
    sees('Version 3 has a new public key.'),
  ],
  'key-intake-disable': [...usable, press('Disable'), sees(/Writers keep writing/)],
  'key-intake-disabled': unusable('disabled', /nobody can stop them/),
  'key-intake-being-destroyed': unusable('pending', /only after you restore the key/),
  'key-intake-destroyed': unusable('destroyed', /nobody can ever read/),
  'key-intake-destroy': [
    ...unusable('disabled', /nobody can stop them/),
    press('Destroy'),
    sees(/Take their forms down first/),
  ],
  'key-public-keys-loading': [away('silent', '/public-key'), openForm(), sees('Loading the public key')],
  'key-public-keys-forbidden': failing(
    openForm(undefined, ['keys.read', 'keys.manage']),
    sees('To see the public key:'),
  ),
  'key-public-keys-service-away': failing(
    away('unreachable', '/public-key'),
    openForm(),
    shows('.public-keys .failure.away'),
  ),
  'key-disabled-in-another-tab': failing(
    openForm(({ client, pages, respond }, key_id) =>
      pages.setApi(async (request) => {
        if (request.url.endsWith('/public-key')) await client.keys.disable({ key_id });
        return respond(request);
      }),
    ),
    shows('.public-keys .failure.refused'),
  ),
};
