import { generateKeyPairSync } from 'node:crypto';
import type { Permission } from '@eaas/protocol/wire';
import { failing, forbidden, type Stage, type States } from './stage.ts';

const signIns = '/console/#/sign-ins';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const jwkOf = (key: typeof publicKey) =>
  JSON.stringify({ keys: [{ ...key.export({ format: 'jwk' }), kid: 'autumn', alg: 'EdDSA' }] });
export const keySet = jwkOf(publicKey);

/** A key, and three sign-ins: of patients, of staff, and a revoked one. */
async function seedSignIns(stage: Stage): Promise<void> {
  const { keys, issuers } = stage.client;
  const { key_id } = await keys.create({ name: 'patients' });
  const common = {
    audience: 'https://clinic.example',
    jwks: JSON.parse(keySet) as { keys: { kty: string }[] },
    permissions: ['encrypt', 'decrypt', 'audit.own'] as ('encrypt' | 'decrypt' | 'audit.own')[],
    key_ids: [key_id],
  };
  const old = await issuers.create({ ...common, name: 'first try', issuer: 'https://old.example' });
  await issuers.revoke({ issuer_id: old.issuer_id });
  await issuers.create({
    ...common,
    name: 'staff',
    issuer: 'https://login.clinic.example/realms/employees-of-all-houses',
    permissions: ['decrypt'],
    any_subject: true,
    require: { role: ['doctor', 'nurse'] },
  });
  await issuers.create({
    ...common,
    name: 'patients',
    issuer: 'https://patients.clinic.example',
    allowed_origins: ['https://app.clinic.example'],
  });
}

async function openSignIns(stage: Stage, some?: readonly Permission[]): Promise<void> {
  await seedSignIns(stage);
  await stage.enter(signIns, some);
  await stage.page.getByRole('table').waitFor();
}

async function fillIn(stage: Stage, jwks = keySet): Promise<void> {
  await openSignIns(stage);
  const { page } = stage;
  await page.getByRole('button', { name: 'Accept a sign-in' }).click();
  await page.getByLabel('Name', { exact: true }).fill('visitors');
  await page.getByLabel('Issuer', { exact: true }).fill('https://visitors.example');
  await page.getByLabel('Audience', { exact: true }).fill('https://clinic.example');
  await page.getByLabel('Only these, pasted here').click();
  await page.getByLabel('JSON Web Key Set').fill(jwks);
  await page.getByLabel(/^patients/).click();
}

const accept = ({ page }: Stage) =>
  page.locator('dialog').getByRole('button', { name: 'Accept the sign-in' }).click();

export const signInStates: States = {
  'sign-ins': openSignIns,
  'sign-ins-empty': async ({ enter, page }) => {
    await enter(signIns);
    await page.getByText('No sign-ins yet').waitFor();
  },
  'sign-ins-forbidden': forbidden(signIns, ['keys.read', 'audit.read']),
  'sign-ins-create': async (stage) => {
    await openSignIns(stage);
    await stage.page.getByRole('button', { name: 'Accept a sign-in' }).click();
    await stage.page.getByLabel(/^patients/).waitFor();
  },
  'sign-ins-create-incomplete': async (stage) => {
    await fillIn(stage, '-----BEGIN PUBLIC KEY-----');
    await stage.page.getByLabel(/^patients/).click();
    await stage.page.getByLabel(/^Web pages of these/).click();
    await stage.page.getByLabel('Allowed origins').fill(',');
    await accept(stage);
    await stage.page.getByText('This is no JSON Web Key Set').waitFor();
    await stage.page.getByText('Choose at least one key.').waitFor();
  },
  'sign-ins-create-private-key': failing(async (stage) => {
    await fillIn(stage, jwkOf(privateKey));
    await accept(stage);
    await stage.page.locator('dialog .error').getByText('private or symmetric key').waitFor();
  }),
  'sign-ins-create-same-prefix': failing(async (stage) => {
    await fillIn(stage);
    await accept(stage);
    await stage.page.locator('dialog .error').getByText('two people could share').waitFor();
  }),
  'sign-ins-created': async (stage) => {
    await fillIn(stage);
    await stage.page.getByLabel('Prefix', { exact: true }).fill('visitor:');
    await stage.page.getByLabel('Claim that names the user').fill('sub');
    await stage.page.getByLabel(/^Everyone’s/).click();
    await stage.page.getByLabel('Required claims').fill('role=guide\n');
    await accept(stage);
    await stage.page.getByText('The service accepts its tokens now.').waitFor();
  },
  'sign-ins-show': async (stage) => {
    await openSignIns(stage);
    await stage.page.getByRole('button', { name: 'Show staff' }).click();
    await stage.page.locator('dialog').getByText('role=doctor,nurse').waitFor();
  },
  'sign-ins-edit': async (stage) => {
    await openSignIns(stage);
    await stage.page.getByRole('button', { name: 'Edit staff' }).click();
    await stage.page.getByLabel('Required claims').fill('role=doctor');
    await stage.page.getByLabel(/^Longest life/).fill('900');
    await stage.page.getByText('valid for more than 900 seconds').waitFor();
  },
  'sign-ins-edit-forbidden': failing(async (stage) => {
    await openSignIns(stage, ['api_keys.manage', 'keys.read']);
    await stage.page.getByRole('button', { name: 'Edit staff' }).click();
    await stage.page.getByLabel('Required claims').fill('role=doctor');
    await stage.page.getByRole('button', { name: 'Save the changes' }).click();
    await stage.page.locator('dialog .failure.forbidden').waitFor();
  }),
  'sign-ins-revoke': async (stage) => {
    await openSignIns(stage);
    await stage.page.getByRole('button', { name: 'Revoke patients' }).click();
    await stage.page.getByLabel('Type patients to confirm').fill('patient');
  },
};
