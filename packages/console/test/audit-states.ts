import { EaasClient } from '@eaas/sdk';
import { madeUpLog } from '@eaas/test-kit/made-up-log';
import { seedPeople } from './people-states.ts';
import { fill as fillLog } from './seed.ts';
import type { Stage } from './stage.ts';
import {
  away,
  choose,
  enter,
  failing,
  fill,
  press,
  seeded,
  sees,
  shows,
  type States,
  type Step,
} from './steps.ts';

const log = enter('/console/#/audit');
const opened = [seeded, log, shows('table')];
const onlyRow = shows('tbody tr:only-child');
const rows = (count: number) => shows(`tbody tr:nth-child(${count}):last-child`);
const busy = async ({ client }: Stage) => (await client.keys.create({ name: 'busy' })).key_id;
const filled =
  (entries: number): Step =>
  async (stage) =>
    fillLog(stage, await busy(stage), entries);

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

export const auditStates: States = {
  audit: opened,
  'audit-live': [
    async (stage) => {
      const key = await busy(stage);
      await log(stage);
      await stage.page.getByLabel('Live').click();
      await fillLog(stage, key, 3);
    },
    ({ page }) => page.getByRole('cell', { name: 'key.wrap' }).first().waitFor(),
  ],
  'audit-witnessed': [
    seeded,
    witnessed,
    log,
    press('Show the proof of the public log'),
    sees('2 witnesses say: it existed before 28 May 2026'),
    sees('They are north.example, south.example.'),
  ],
  'audit-verified': [...opened, press('Verify'), sees('The chain holds.')],
  'audit-broken': [
    seeded,
    async ({ service }) => service.tamper(612, { actor: '00000000-0000-4000-8000-000000000000' }),
    log,
    press('Verify'),
    press('Show entry 612'),
    sees('chain breaks here'),
  ],
  'audit-10000-entries': [
    filled(10_000),
    log,
    sees(/^1 to 50 of 10,00\d$/),
    press('Verify'),
    sees(/10,00\d entries recomputed/),
  ],
  'audit-entry': [...opened, press(/Open entry/), shows('dialog')],
  'audit-nothing-matches': [...opened, choose('Action', 'key.export'), sees('No entry matches')],
  'audit-other-key': [
    async (stage) => {
      const { client, page } = stage;
      const { key_id } = await client.keys.create({ name: 'first' });
      for (let each = 1; each <= 120; each++) await client.keys.create({ name: `key ${each}` });
      await log(stage);
      await page.getByLabel(/^Key$/).selectOption('other');
      await page.getByText('The list has the newest 100 of 121 keys.').waitFor();
      await page.getByLabel('Key id').fill(key_id.slice(0, 20));
      await page.getByText('A key id is a UUID with 36 characters.').waitFor();
      await page.getByLabel('Key id').fill(key_id);
    },
    onlyRow,
  ],
  'audit-of-an-actor': [
    ...opened,
    ({ page }) => page.getByRole('table').getByText('operator').first().waitFor(),
    choose('Actor', 'operator'),
    async (stage) => rows((await stage.client.audit.page({ actor: 'operator' })).count)(stage),
  ],
  'audit-of-a-person': [
    async (stage) => {
      const id = await seedPeople(stage);
      await log(stage);
      await stage.page.getByLabel('Person').fill(id.slice(0, 32));
    },
    fill('User', '7f'),
    sees('An id has 32 or 64 characters'),
    rows(6),
  ],
  'audit-of-another-actor': failing(
    filled(100),
    async ({ service, enter, page }) => {
      const { api_key_id, api_key } = service.createApiKey({ name: 'quiet', permissions: ['keys.manage'] });
      await new EaasClient({ ...service, apiKey: api_key }).keys.create({ name: 'made by it' });
      await enter('/console/#/audit', ['audit.read', 'keys.read']);
      await page.getByLabel('Actor').selectOption('other');
      await page.getByLabel('API key id').fill(api_key_id.slice(0, 20));
      await page.getByText('An API key id is a UUID with 36 characters.').waitFor();
      await page.getByLabel('API key id').fill(api_key_id);
    },
    onlyRow,
  ),
  'audit-service-away': failing(...opened, away('unreachable'), press('Verify'), shows('.verify .failure')),
};
