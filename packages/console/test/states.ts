// States of the pages by name, and the steps that lead a page into each: what the tests of accessibility visit.
import { createIntake } from '@eaas/sdk/intake';
import { madeUpLog } from '@eaas/test-kit/made-up-log';
import { publicKey } from '@eaas/test-kit/rsa-key';
import { keyName } from '../src/playground/own-key.ts';
import { longName, seed, seedPeople, seedSignIns, subject } from './seeds.ts';
import { history, type Stage } from './stage.ts';
import {
  accept,
  accepting,
  away,
  choose,
  click,
  doing,
  enter,
  fill,
  find,
  open,
  played,
  press,
  sees,
  shows,
  type Step,
} from './steps.ts';

type States = Readonly<Record<string, readonly Step[]>>;

const signIn = (apiKey: string) => [open('/'), fill('API key', apiKey), press('Sign in')];
const withKey = [enter('/'), sees('The chain holds.')];
const expire: Step = async ({ pages }) =>
  pages.setApi(async () => Response.json({ code: 'unauthorized', detail: 'no' }, { status: 401 }));
const owning =
  (more: (stage: Stage, key_id: string) => unknown = () => {}): Step =>
  async (stage) =>
    more(stage, (await stage.client.keys.create({ name: keyName })).key_id);

const playground: States = {
  'sign-in-code-refused': [open(`/#code=${'a'.repeat(43)}`), sees(/not valid any more/)],
  'sign-in-api-key-refused': [
    ...signIn(`eaas_sk_${'0'.repeat(43)}4C34ms`),
    sees(/does not accept this API key/),
  ],
  'sign-in-not-an-api-key': [...signIn('hunter2'), sees(/not an API key/)],
  'playground-played': [...withKey, ...played],
  'playground-no-audit': [
    owning(),
    enter('/', ['encrypt', 'decrypt', 'keys.read']),
    sees(/may not read the audit log/),
  ],
  'playground-asks-to-use': [
    owning(),
    (stage) => stage.enterWithApiKey('/'),
    sees('Is this key the playground’s?'),
  ],
  'playground-key-disabled': [
    owning(({ client }, key_id) => client.keys.disable(key_id)),
    enter('/'),
    sees(`The playground cannot use ${keyName}`),
  ],
  'playground-key-unknown': [enter('/', ['encrypt', 'decrypt']), sees(/lacks the permission/)],
  'playground-broken-chain': [
    async (stage) => {
      await seed(stage);
      const [newest] = (await stage.client.audit.page({ limit: 1 })).logs;
      stage.service.tamper((newest?.id ?? 0) - 3, { ip_address: '203.0.113.9' });
    },
    enter('/'),
    sees(/The chain breaks/),
  ],
  'playground-service-away': [
    ...withKey,
    away,
    press('Encrypt'),
    shows('#encrypt .failure'),
    sees(/This page goes on as soon as it does/),
  ],
  'playground-expired': [...withKey, expire, sees(/has expired or was revoked/)],
};

const keyList = '/console/#/keys';
const creatingKey = [seed, enter(keyList), press('Create a key')];
const versions: Step = ({ page }) => page.getByRole('heading', { name: 'Versions' }).waitFor();
const openKey = (name: string): Step[] => [
  async (stage) => stage.enter(`${keyList}/${(await seed(stage))[name]}`),
  versions,
];

/** Opens an intake key with two versions. */
const openForm = (prepare: (stage: Stage, key_id: string) => unknown = () => {}): Step[] => [
  async (stage) => {
    const { client, pass } = stage;
    // Sets the clock of the service to the present, because the pages show times relative to the clock of the browser.
    pass(history);
    const { key_id: keyId } = await client.keys.create({ name: 'contact-form', intake: true });
    const { intake_public_key } = await client.publicKey(keyId);
    const ciphertext = await createIntake({ publicKey: intake_public_key ?? '' }).encrypt('Call me.');
    await client.keys.rotate(keyId);
    await client.decrypt(ciphertext, { keyId });
    await prepare(stage, keyId);
    await stage.enter(`${keyList}/${keyId}`);
  },
  versions,
];
const usable = [...openForm(), shows('[aria-label="Public key of version 2"]')];
const unusable = (text: RegExp, grace_days?: number): readonly Step[] => [
  ...openForm(async ({ client }, key_id) => {
    await client.keys.disable(key_id);
    if (grace_days !== undefined) await client.keys.destroy(key_id, { grace_days });
  }),
  sees(text),
];

const keys: States = {
  keys: [seed, enter(keyList), sees('patients')],
  'keys-empty': [enter(keyList), sees('No keys yet')],
  'keys-service-away': [
    enter('/console/#/usage'),
    sees('Nothing was used yet'),
    away,
    ({ page }) => page.getByRole('link', { name: 'Keys', exact: true }).click(),
    shows('.failure.away'),
  ],
  'keys-create-intake': [...creatingKey, fill('Name', 'form'), click(/^Intake key/)],
  key: openKey('patients'),
  'key-with-a-long-name': openKey(longName),
  'key-destroyed': openKey('old-index'),
  'key-unknown': [enter(`${keyList}/00000000-0000-4000-8000-000000000000`), shows('.failure')],
  'key-destroy-forbidden': [
    async (stage) => {
      const ids = await seed(stage);
      await stage.enterWithApiKey(`${keyList}/${ids['legacy-import']}`, ['keys.read', 'keys.manage']);
    },
    press('Destroy'),
    ({ page }) => page.locator('dialog').getByText('Your API key lacks the permission').waitFor(),
  ],
  'key-exported': [
    async ({ client, enter }) => {
      const { key_id } = await client.keys.create({ name: 'escrow', exportable: true });
      await enter(`${keyList}/${key_id}`);
    },
    press('Export'),
    sees('How to make one'),
    fill('RSA public key', publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    fill('Type escrow to confirm', 'escrow'),
    press('Export the key'),
    sees('The key is exported'),
  ],
  'key-intake': [
    ...usable,
    sees('still in use'),
    ({ page }) => page.getByText('How a page writes with it').click(),
  ],
  'key-intake-rotated': [
    ...usable,
    press('Rotate'),
    sees(/its own public key/),
    press('Rotate the key'),
    sees('Version 3 has a new public key.'),
  ],
  'key-intake-disable': [...usable, press('Disable'), sees(/Writers keep writing/)],
  'key-intake-being-destroyed': unusable(/only after you restore the key/, 30),
  'key-intake-destroyed': unusable(/nobody can ever read/, 0),
  'key-intake-destroy': [
    ...unusable(/nobody can stop them/),
    press('Destroy'),
    sees(/Take their forms down first/),
  ],
};

const creating = [seed, enter('/console/#/api-keys'), press('Create an API key')];
const forPages = [...creating, fill('Name', 'sign-up form'), click(/^Web pages of these/)];

const apiKeys: States = {
  'api-keys-create-for-old-key': [
    async ({ client }) => {
      for (let each = 0; each <= 220; each++) await client.keys.create({ name: `key ${each}` });
    },
    enter('/console/#/api-keys'),
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
  'api-keys-created': [
    ...creating,
    fill('Name', 'invoices'),
    press('Create the API key'),
    sees('It is shown this once'),
  ],
  'api-keys-edit-forbidden': [
    seed,
    enter('/console/#/api-keys', ['api_keys.manage', 'keys.read']),
    press('Edit web'),
    click(/^keys.manage/),
    press('Save the changes'),
    shows('dialog .failure.forbidden'),
  ],
};

const log = enter('/console/#/audit');
const logOpened = [seed, log, shows('table')];
const busy = async ({ client }: Stage) => (await client.keys.create({ name: 'busy' })).key_id;

const witnessed: Step = async ({ client, pages, respond }) => {
  const { tenant_id: tenantId, id, hash } = await client.audit.checkpoint();
  const publicLog = madeUpLog();
  const head = { tenantId, id, hash: Uint8Array.from(Buffer.from(hash, 'hex')) };
  const proof = publicLog.prove(tenantId, publicLog.moment([head], Date.now()), {
    signers: { north: 1_780_000_000, south: 1_780_000_030 },
  });
  pages.setApi(async (request) =>
    new URL(request.url).pathname.endsWith('/v1/audit/proof') ? Response.json({ proof }) : respond(request),
  );
};

const audit: States = {
  'audit-live': [
    async (stage) => {
      const keyId = await busy(stage);
      await log(stage);
      await stage.page.getByLabel('Live').click();
      await stage.client.encrypt('x', { keyId });
    },
    ({ page }) => page.getByRole('cell', { name: 'key.wrap' }).first().waitFor(),
  ],
  'audit-witnessed': [
    seed,
    witnessed,
    log,
    press('Show the proof of the public log'),
    sees('2 witnesses say: it existed before 28 May 2026'),
    sees('They are north.example, south.example.'),
  ],
  'audit-verified': [...logOpened, press('Verify'), sees('The chain holds.')],
  'audit-broken': [
    seed,
    async ({ service }) => service.tamper(112, { actor: '00000000-0000-4000-8000-000000000000' }),
    log,
    press('Verify'),
    press('Show entry 112'),
    sees('chain breaks here'),
  ],
  'audit-entry': [...logOpened, press(/Open entry/), shows('dialog')],
  'audit-nothing-matches': [...logOpened, choose('Action', 'key.export'), sees('No entry matches')],
  'audit-other-key': [
    async (stage) => {
      const key_id = await busy(stage);
      for (let each = 1; each <= 120; each++) await stage.client.keys.create({ name: `key ${each}` });
      await log(stage);
      await doing(
        stage,
        choose(/^Key$/, 'other'),
        sees('The list has the newest 100 of 121 keys.'),
        fill('Key id', key_id.slice(0, 20)),
        sees('A key id is a UUID with 36 characters.'),
        fill('Key id', key_id),
      );
    },
    shows('tbody tr:only-child'),
  ],
};

const openPeople = enter('/console/#/people');

const people: States = {
  people: [seedPeople, openPeople, sees('2 people have a secret')],
  'people-empty': [openPeople, sees('Nobody yet')],
  'people-unknown': [seedPeople, openPeople, ...find('Patient-42'), sees('Nobody has this subject')],
  person: [seedPeople, openPeople, ...find(subject), shows('table')],
  'person-by-half-an-id': [
    async (stage) => {
      const id = await seedPeople(stage);
      await doing(stage, openPeople, ...find(id.slice(0, 32), 'id'));
    },
    sees('all 64 characters'),
  ],
  'person-erased': [
    seedPeople,
    ({ client }) => client.subjects.erase({ subject }),
    openPeople,
    ...find(subject),
    sees('This person was erased on'),
    shows('table'),
  ],
};

const openSignIns = enter('/console/#/sign-ins');
const opened = [seedSignIns, openSignIns, shows('table')];

const signIns: States = {
  'sign-ins-empty': [openSignIns, sees('No sign-ins yet')],
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
  'sign-ins-show': [
    ...opened,
    press('Show staff'),
    ({ page }) => page.locator('dialog').getByText('role=doctor,nurse').waitFor(),
  ],
  'sign-ins-edit': [
    ...opened,
    press('Edit staff'),
    fill('Required claims', 'role=doctor'),
    fill(/^Longest life/, '900'),
    sees('valid for more than 900 seconds'),
  ],
};

const usage: States = {
  usage: [
    seed,
    ({ service }) => service.setTenant({ monthlyEncryptQuota: 5_000 }),
    enter('/console/#/usage'),
    shows('table'),
  ],
};

const forbidden = ['keys', 'api-keys', 'sign-ins', 'people', 'audit', 'usage'].map((page) => [
  `${page}-forbidden`,
  [enter(`/console/#/${page}`, ['encrypt', 'decrypt']), sees('Your API key lacks the permission')],
]);

export const states: States = {
  ...playground,
  ...keys,
  ...apiKeys,
  ...audit,
  ...people,
  ...signIns,
  ...usage,
  ...(Object.fromEntries(forbidden) as States),
};
