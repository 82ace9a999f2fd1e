import type { Permission } from '@eaas/protocol/wire';
import { EaasClient } from '@eaas/sdk';
import { failing, forbidden, type Stage, type States } from './stage.ts';

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

export async function find({ page }: Stage, text: string, by = 'subject'): Promise<void> {
  await page.getByLabel('Find by').selectOption(by);
  await page.locator('form.find input').fill(text);
  await page.getByRole('button', { name: 'Find' }).click();
}

async function openPerson(stage: Stage, some?: readonly Permission[]): Promise<string> {
  const id = await seedPeople(stage);
  await (some ? stage.enterWithApiKey(people, some) : stage.enter(people));
  await find(stage, subject);
  await stage.page.getByRole('table').waitFor();
  return id;
}

async function openErase(stage: Stage): Promise<void> {
  await openPerson(stage);
  await stage.page.getByRole('button', { name: 'Erase this person' }).click();
  await stage.page.getByLabel(`Type ${subject} to confirm`).waitFor();
}

export const peopleStates: States = {
  people: async (stage) => {
    await seedPeople(stage);
    await stage.enter(people);
    await stage.page.getByText('2 people have a secret').waitFor();
  },
  'people-empty': async ({ enter, page }) => {
    await enter(people);
    await page.getByText('Nobody yet').waitFor();
  },
  'people-forbidden': forbidden(people, ['keys.read', 'usage.read']),
  'people-unknown': failing(async (stage) => {
    await seedPeople(stage);
    await stage.enter(people);
    await find(stage, 'Patient-42');
    await stage.page.getByText('Nobody has this subject').waitFor();
  }),
  'people-not-an-id': async (stage) => {
    await stage.enter(people);
    await find(stage, 'patient-42', 'id');
    await stage.page.getByText('A subject id has 32 or 64').waitFor();
  },
  person: async (stage) => void (await openPerson(stage)),
  'person-by-half-an-id': async (stage) => {
    const id = await seedPeople(stage);
    await stage.enter(people);
    await find(stage, id.slice(0, 32), 'id');
    await stage.page.getByText('all 64 characters').waitFor();
  },
  'person-erase': async (stage) => {
    await openErase(stage);
    await stage.page.getByLabel(`Type ${subject} to confirm`).fill('patient');
  },
  'person-erase-forbidden': failing(async (stage) => {
    await openPerson(stage, ['audit.read', 'keys.read']);
    await stage.page.getByRole('button', { name: 'Erase this person' }).click();
    await stage.page.locator('dialog').getByText('Your API key lacks the permission').waitFor();
  }),
  'person-erased-now': async (stage) => {
    await openErase(stage);
    await stage.page.getByLabel(`Type ${subject} to confirm`).fill(subject);
    await stage.page.getByRole('button', { name: 'Erase for ever' }).click();
    await stage.page.getByText('Keep its hash with the request').waitFor();
    await stage.page.getByRole('cell', { name: 'person erased' }).waitFor();
  },
  'person-erased': async (stage) => {
    await seedPeople(stage);
    await stage.client.subjects.erase({ subject });
    await stage.enter(people);
    await find(stage, subject);
    await stage.page.getByText('This person was erased on').waitFor();
    await stage.page.getByRole('table').waitFor();
  },
  'person-service-away': failing(async (stage) => {
    await seedPeople(stage);
    await stage.enter(people);
    await stage.page.getByText('2 people have a secret').waitFor();
    stage.setAway('unreachable');
    await find(stage, subject);
    await stage.page.locator('.failure.away').waitFor();
  }),
};
