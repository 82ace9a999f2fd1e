import { generateKeyPairSync } from 'node:crypto';
import type { Permission } from '@eaas/protocol/wire';
import type { Stage } from './stage.ts';
import { click, enter, failing, fill, press, sees, shows, type States, type Step } from './steps.ts';

const signIns = '/console/#/sign-ins';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const jwkOf = (key: typeof publicKey) =>
  JSON.stringify({ keys: [{ ...key.export({ format: 'jwk' }), kid: 'autumn', alg: 'EdDSA' }] });
const keySet = jwkOf(publicKey);

/** A key, and three sign-ins: of patients, of staff, and a revoked one. */
async function seedSignIns({ client: { keys, issuers } }: Stage): Promise<void> {
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

const openedWith = (some?: readonly Permission[]) => [seedSignIns, enter(signIns, some), shows('table')];
const opened = openedWith();

const showsError = (text: string): Step => {
  return ({ page }) => page.locator('dialog .error').getByText(text).waitFor();
};

/** Fills in the form of a sign-in for visitors. */
export const accepting = (jwks = keySet): readonly Step[] => [
  press('Accept a sign-in'),
  fill(/^Name$/, 'visitors'),
  fill(/^Issuer$/, 'https://visitors.example'),
  fill(/^Audience$/, 'https://clinic.example'),
  click('Only these, pasted here'),
  fill('JSON Web Key Set', jwks),
  click(/^patients/),
];
export const accept: Step = ({ page }) =>
  page.locator('dialog').getByRole('button', { name: 'Accept the sign-in' }).click();
const role = fill('Required claims', 'role=doctor');

export const signInStates: States = {
  'sign-ins': opened,
  'sign-ins-empty': [enter(signIns), sees('No sign-ins yet')],
  'sign-ins-create': [
    ...opened,
    press('Accept a sign-in'),
    ({ page }) => page.getByLabel(/^patients/).waitFor(),
  ],
  'sign-ins-create-incomplete': [
    ...opened,
    ...accepting('-----BEGIN PUBLIC KEY-----'),
    click(/^patients/),
    click(/^Web pages of these/),
    fill('Allowed origins', ','),
    accept,
    sees('This is no JSON Web Key Set'),
    sees('Choose at least one key.'),
  ],
  'sign-ins-create-private-key': failing(
    ...opened,
    ...accepting(jwkOf(privateKey)),
    accept,
    showsError('private or symmetric key'),
  ),
  'sign-ins-create-same-prefix': failing(
    ...opened,
    ...accepting(),
    accept,
    showsError('two people could share'),
  ),
  'sign-ins-created': [
    ...opened,
    ...accepting(),
    fill(/^Prefix$/, 'visitor:'),
    fill('Claim that names the user', 'sub'),
    click(/^Everyone’s/),
    fill('Required claims', 'role=guide\n'),
    accept,
    sees('The service accepts its tokens now.'),
  ],
  'sign-ins-show': [
    ...opened,
    press('Show staff'),
    ({ page }) => page.locator('dialog').getByText('role=doctor,nurse').waitFor(),
  ],
  'sign-ins-edit': [
    ...opened,
    press('Edit staff'),
    role,
    fill(/^Longest life/, '900'),
    sees('valid for more than 900 seconds'),
  ],
  'sign-ins-edit-forbidden': failing(
    ...openedWith(['api_keys.manage', 'keys.read']),
    press('Edit staff'),
    role,
    press('Save the changes'),
    shows('dialog .failure.forbidden'),
  ),
  'sign-ins-revoke': [...opened, press('Revoke patients'), fill('Type patients to confirm', 'patient')],
};
