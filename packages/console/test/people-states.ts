import type { Permission } from '@eaas/protocol/wire';
import { EaasClient } from '@eaas/sdk';
import type { Stage } from './stage.ts';
import {
  away,
  choose,
  doing,
  enter,
  enterWithApiKey,
  failing,
  fill,
  press,
  sees,
  shows,
  type States,
  type Step,
} from './steps.ts';

const people = '/console/#/people';
export const subject = 'patient-42';

/** Two people, whom three users, an API key and a wrong context have read. Returns the subject_id of `subject`. */
export async function seedPeople({ client, service, pass }: Stage): Promise<string> {
  const { key_id: keyId } = await client.keys.create({ name: 'patients' });
  const web = service.createApiKey({ name: 'web', permissions: ['encrypt', 'decrypt'] });
  const cache = { encrypt: false, decrypt: false } as const;
  const app = new EaasClient({ ...service, apiKey: web.api_key, keyId, cache });
  const { ciphertext } = await app.as('dr-7').encrypt('penicillin', { subject });
  await app.encrypt('rest', { subject: 'patient-43' });
  for (const user of ['dr-7', 'nurse-3', 'dr-9']) {
    pass(7);
    await app.as(user).decrypt(ciphertext, { subject });
  }
  await app.decrypt(ciphertext, { subject });
  await app
    .as('dr-9')
    .decrypt(ciphertext, { subject, wrapContext: { visit: '8' } })
    .catch(() => {});
  return (await client.subjects.show({ subject })).subject_id;
}

export const find = (text: string, by = 'subject'): readonly Step[] => [
  choose('Find by', by),
  ({ page }) => page.locator('form.find input').fill(text),
  press('Find'),
];

const seeded = [seedPeople, enter(people)];
const opened = [...seeded, ...find(subject), shows('table')];
const openedWith = (some: readonly Permission[]) => [
  seedPeople,
  enterWithApiKey(people, some),
  ...find(subject),
  shows('table'),
];
const toConfirm = `Type ${subject} to confirm`;
const erasing = [...opened, press('Erase this person')];

export const peopleStates: States = {
  people: [...seeded, sees('2 people have a secret')],
  'people-empty': [enter(people), sees('Nobody yet')],
  'people-unknown': failing(...seeded, ...find('Patient-42'), sees('Nobody has this subject')),
  'people-not-an-id': [enter(people), ...find('patient-42', 'id'), sees('A subject id has 32 or 64')],
  person: opened,
  'person-by-half-an-id': [
    async (stage) => {
      const id = await seedPeople(stage);
      await stage.enter(people);
      await doing(stage, ...find(id.slice(0, 32), 'id'));
    },
    sees('all 64 characters'),
  ],
  'person-erase': [...erasing, fill(toConfirm, 'patient')],
  'person-erase-forbidden': failing(
    ...openedWith(['audit.read', 'keys.read']),
    press('Erase this person'),
    ({ page }) => page.locator('dialog').getByText('Your API key lacks the permission').waitFor(),
  ),
  'person-erased-now': [
    ...erasing,
    fill(toConfirm, subject),
    press('Erase for ever'),
    sees('Keep its hash with the request'),
    ({ page }) => page.getByRole('cell', { name: 'person erased' }).waitFor(),
  ],
  'person-erased': [
    seedPeople,
    ({ client }) => client.subjects.erase({ subject }),
    enter(people),
    ...find(subject),
    sees('This person was erased on'),
    shows('table'),
  ],
  'person-service-away': failing(
    ...seeded,
    sees('2 people have a secret'),
    away('unreachable'),
    ...find(subject),
    shows('.failure.away'),
  ),
};
