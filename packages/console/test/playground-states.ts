import { keyName } from '../src/playground/own-key.ts';
import type { Page } from '@eaas/test-kit/chromium';
import { seed } from './seed.ts';
import type { Stage } from './stage.ts';
import {
  away,
  doing,
  enter,
  enterWithApiKey,
  expire,
  failing,
  fill,
  open,
  press,
  sees,
  shows,
  type States,
  type Step,
} from './steps.ts';

const someApiKey = `eaas_sk_${'0'.repeat(43)}4C34ms`;
const signIn = (apiKey = someApiKey) => [fill('API key', apiKey), press('Sign in')];
const withKey = [enter('/'), sees('The chain holds.')];
const encrypted = [...withKey, press('Encrypt'), sees(/It is not there/)];
const lacksPermission = sees(/lacks the permission/);

const create =
  (name: string, more: (stage: Stage, key_id: string) => unknown = () => {}): Step =>
  async (stage) =>
    more(stage, (await stage.client.keys.create({ name })).key_id);

/** Every step of the playground in order, and what each shows. */
const played: readonly Step[] = [
  press('Encrypt'),
  sees(/It is not there/),
  press('Decrypt'),
  shows('output'),
  press('Search'),
  sees(/has the fingerprint of row 42/),
  press('Read it as this user'),
  shows('#read td'),
  press('Rotate the key for real'),
  async ({ page }) => {
    // With an API key that a user pasted, the page asks first.
    const rotate = page.getByRole('button', { name: 'Rotate the key', exact: true });
    const result = page.getByText(/A new encryption of it/).first();
    await Promise.race([rotate.waitFor(), result.waitFor()]);
    if ((await rotate.count()) > 0) await rotate.click();
    await result.waitFor();
  },
  press('Erase the person'),
  sees('subject_erased'),
  ({ page }) => page.getByRole('log').getByText('subject.erase').waitFor(),
];

/** Plays every step in a page that has a key. */
export const playAll = (page: Page): Promise<void> => doing({ page } as Stage, ...played);

export const playgroundStates: States = {
  'sign-in': [open('/'), ({ page }) => page.getByLabel('API key').waitFor()],
  'sign-in-busy': [open('/'), away('silent'), ...signIn(), sees('Signing in…')],
  'sign-in-code-refused': failing(open(`/#code=${'a'.repeat(43)}`), sees(/not valid any more/)),
  'sign-in-api-key-refused': failing(
    open('/console/#/audit'),
    ...signIn(),
    sees(/does not accept this API key/),
  ),
  'sign-in-not-an-api-key': [open('/'), ...signIn('hunter2'), sees(/not an API key/)],
  'sign-in-service-away': failing(open('/'), away('unreachable'), ...signIn(), sees(/does not respond/)),
  'playground-start': withKey,
  'playground-encrypted': encrypted,
  'playground-played': failing(...withKey, ...played),
  'playground-erased-then-decrypted': failing(
    ...encrypted,
    press('Erase the person'),
    sees('subject_erased'),
    press('Decrypt'),
    shows('#encrypt .failure'),
  ),
  'playground-create-forbidden': failing(
    enterWithApiKey('/', ['encrypt', 'decrypt', 'keys.read']),
    press('Create the key'),
    lacksPermission,
  ),
  'playground-no-audit': failing(
    create(keyName),
    enter('/', ['encrypt', 'decrypt', 'keys.read']),
    sees(/may not read the audit log/),
  ),
  'playground-asks-to-create': [
    create('production'),
    enterWithApiKey('/'),
    sees('The playground needs a key of its own'),
  ],
  'playground-asks-to-use': [create(keyName), enterWithApiKey('/'), sees('Is this key the playground’s?')],
  'playground-key-disabled': [
    create(keyName, ({ client }, key_id) => client.keys.disable({ key_id })),
    enter('/'),
    sees(`The playground cannot use ${keyName}`),
  ],
  'playground-asks-to-rotate': [
    enterWithApiKey('/'),
    press('Create the key'),
    press('Encrypt'),
    press('Rotate the key for real'),
    shows('dialog'),
  ],
  'playground-key-unknown': failing(enter('/', ['encrypt', 'decrypt']), lacksPermission),
  'playground-broken-chain': [
    async (stage) => {
      await seed(stage);
      const [newest] = (await stage.client.audit.page({ limit: 1 })).logs;
      stage.service.tamper((newest?.id ?? 0) - 3, { ip_address: '203.0.113.9' });
    },
    enter('/'),
    sees(/The chain breaks/),
  ],
  'playground-service-away': failing(
    ...withKey,
    away('unreachable'),
    press('Encrypt'),
    shows('#encrypt .failure'),
    sees(/This page goes on as soon as it does/),
  ),
  'playground-expired': failing(...withKey, expire, sees(/has expired or was revoked/)),
};
