import type { Permission } from '@eaas/protocol/wire';
import {
  away,
  choose,
  click,
  enter,
  expire,
  failing,
  fill,
  press,
  seeded,
  sees,
  shows,
  type States,
  type Step,
} from './steps.ts';

const apiKeys = '/console/#/api-keys';
const opened = [seeded, enter(apiKeys), shows('table')];
const creating = [...opened, press('Create an API key')];
const forPages = [...creating, fill('Name', 'sign-up form'), click(/^Web pages of these/)];
const create = press('Create the API key');
const save = press('Save the changes');

const editing = (name: string, some?: readonly Permission[]): readonly Step[] => [
  seeded,
  enter(apiKeys, some),
  press(`Edit ${name}`),
  ({ page }) => page.locator('dialog input[name=keys]:enabled').nth(1).waitFor(),
];
const renaming = [...editing('web'), fill('Name', 'website')];

export const apiKeyStates: States = {
  'api-keys': opened,
  'api-keys-create': [...creating, fill('Name', 'invoices'), click('Only these'), click(/^billing/)],
  'api-keys-create-for-old-key': [
    async ({ client }) => {
      for (let each = 0; each <= 220; each++) await client.keys.create({ name: `key ${each}` });
    },
    enter(apiKeys),
    press('Create an API key'),
    click('Only these'),
    sees('These are the newest 100 of 221 keys.'),
    press('Show more'),
    sees('These are the newest 200 of 221 keys.'),
    click(/^key 21 /),
  ],
  'api-keys-create-for-pages': [
    ...forPages,
    fill('Allowed origins', 'https://app.example\nhttps://admin.example'),
    choose('Expires', 'date'),
    fill('Date and time', '2030-01-31T12:00'),
  ],
  'api-keys-create-refused': failing(
    ...forPages,
    fill('Allowed origins', 'app.example'),
    create,
    shows('dialog .failure'),
  ),
  'api-keys-created': [...creating, fill('Name', 'invoices'), create, sees('It is shown this once')],
  'api-keys-edit': editing('web'),
  'api-keys-edit-consequences': [
    ...editing('web'),
    click(/^decrypt/),
    click(/^keys.read/),
    click(/^billing/),
    choose('Expires', '30'),
    sees('From the moment you save'),
    ({ page }) => page.getByRole('button', { name: 'Save the changes' }).focus(),
  ],
  'api-keys-edit-for-pages': [
    ...editing('booking-page'),
    fill('Allowed origins', 'https://booking.example'),
    sees('From the moment you save'),
  ],
  'api-keys-edit-saving': [...renaming, away('silent'), save, sees('Saving')],
  'api-keys-edit-forbidden': failing(
    ...editing('web', ['api_keys.manage', 'keys.read']),
    click(/^keys.manage/),
    save,
    shows('dialog .failure.forbidden'),
  ),
  'api-keys-edit-service-away': failing(
    ...renaming,
    away('unreachable'),
    save,
    shows('dialog .failure.away'),
  ),
  'api-keys-edit-expired': failing(...renaming, expire, save, sees(/has expired or was revoked/)),
  'api-keys-revoke': [...opened, press('Revoke web'), shows('dialog')],
};
