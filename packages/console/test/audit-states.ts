import { EaasClient } from '@eaas/sdk';
import { madeUpLog } from '@eaas/test-kit/made-up-log';
import { seedPeople } from './people-states.ts';
import { fill, seed } from './seed.ts';
import { failing, forbidden, type States } from './stage.ts';

const log = '/console/#/audit';

export const auditStates: States = {
  audit: async (stage) => {
    await seed(stage);
    await stage.enter(log);
    await stage.page.getByRole('table').waitFor();
  },
  'audit-live': async (stage) => {
    const { key_id } = await stage.client.keys.create({ name: 'busy' });
    await stage.enter(log);
    await stage.page.getByLabel('Live').click();
    await fill(stage, key_id, 3);
    await stage.page.getByRole('cell', { name: 'key.wrap' }).first().waitFor();
  },
  'audit-witnessed': async (stage) => {
    await seed(stage);
    const { tenant_id: tenantId, id, hash } = await stage.client.audit.checkpoint();
    const publicLog = madeUpLog();
    const head = { tenantId, id, hash: Uint8Array.from(Buffer.from(hash, 'hex')) };
    const proof = publicLog.prove(tenantId, publicLog.moment([head], Date.now()), {
      signers: { north: 1_780_000_000, south: 1_780_000_030 },
    });
    stage.pages.setApi(async (request) =>
      new URL(request.url).pathname.endsWith('/v1/audit/proof')
        ? Response.json({ proof })
        : stage.respond(request),
    );
    await stage.enter(log);
    await stage.page.getByRole('button', { name: 'Show the proof of the public log' }).click();
    await stage.page.getByText('2 witnesses say: it existed before 28 May 2026').waitFor();
    await stage.page.getByText('They are north.example, south.example.').waitFor();
  },
  'audit-verified': async (stage) => {
    await seed(stage);
    await stage.enter(log);
    await stage.page.getByRole('button', { name: 'Verify' }).click();
    await stage.page.getByText('The chain holds.').waitFor();
  },
  'audit-broken': async (stage) => {
    await seed(stage);
    stage.service.tamper(612, { actor: '00000000-0000-4000-8000-000000000000' });
    await stage.enter(log);
    await stage.page.getByRole('button', { name: 'Verify' }).click();
    await stage.page.getByRole('button', { name: 'Show entry 612' }).first().click();
    await stage.page.getByText('chain breaks here').first().waitFor();
  },
  'audit-10000-entries': async (stage) => {
    const { key_id } = await stage.client.keys.create({ name: 'busy' });
    await fill(stage, key_id, 10_000);
    await stage.enter(log);
    await stage.page.getByText(/^1 to 50 of 10,00\d$/).waitFor();
    await stage.page.getByRole('button', { name: 'Verify' }).click();
    await stage.page.getByText(/10,00\d entries recomputed/).waitFor();
  },
  'audit-entry': async (stage) => {
    await seed(stage);
    await stage.enter(log);
    await stage.page
      .getByRole('button', { name: /Open entry/ })
      .first()
      .click();
    await stage.page.locator('dialog').waitFor();
  },
  'audit-nothing-matches': async (stage) => {
    await seed(stage);
    await stage.enter(log);
    await stage.page.getByLabel('Action').selectOption('key.export');
    await stage.page.getByText('No entry matches').waitFor();
  },
  'audit-other-key': async (stage) => {
    const { key_id } = await stage.client.keys.create({ name: 'first' });
    for (let each = 1; each <= 120; each++) await stage.client.keys.create({ name: `key ${each}` });
    await stage.enter(log);
    await stage.page.getByLabel('Key', { exact: true }).selectOption('other');
    await stage.page.getByText('The list has the newest 100 of 121 keys.').waitFor();
    await stage.page.getByLabel('Key id').fill(key_id.slice(0, 20));
    await stage.page.getByText('A key id is a UUID with 36 characters.').waitFor();
    await stage.page.getByLabel('Key id').fill(key_id);
    await stage.page.locator('tbody tr:only-child').waitFor();
  },
  'audit-of-an-actor': async (stage) => {
    await seed(stage);
    await stage.enter(log);
    await stage.page.getByRole('table').getByText('operator').first().waitFor();
    await stage.page.getByLabel('Actor').selectOption('operator');
    const { count } = await stage.client.audit.page({ actor: 'operator' });
    await stage.page.locator(`tbody tr:nth-child(${count}):last-child`).waitFor();
  },
  'audit-of-a-person': async (stage) => {
    const id = await seedPeople(stage);
    await stage.enter(log);
    await stage.page.getByLabel('Person').fill(id.slice(0, 32));
    await stage.page.getByLabel('User').fill('7f');
    await stage.page.getByText('An id has 32 or 64 characters').waitFor();
    await stage.page.locator('tbody tr:nth-child(6):last-child').waitFor();
  },
  'audit-of-another-actor': failing(async (stage) => {
    const { key_id } = await stage.client.keys.create({ name: 'busy' });
    await fill(stage, key_id, 100);
    const { api_key_id, api_key } = stage.service.createApiKey({
      name: 'quiet',
      permissions: ['keys.manage'],
    });
    await new EaasClient({ ...stage.service, apiKey: api_key }).keys.create({ name: 'made by it' });
    await stage.enter(log, ['audit.read', 'keys.read']);
    await stage.page.getByLabel('Actor').selectOption('other');
    await stage.page.getByLabel('API key id').fill(api_key_id.slice(0, 20));
    await stage.page.getByText('An API key id is a UUID with 36 characters.').waitFor();
    await stage.page.getByLabel('API key id').fill(api_key_id);
    await stage.page.locator('tbody tr:only-child').waitFor();
  }),
  'audit-forbidden': forbidden(log, ['keys.read', 'keys.manage']),
  'audit-service-away': failing(async (stage) => {
    await seed(stage);
    await stage.enter(log);
    await stage.page.getByRole('table').waitFor();
    stage.setAway('unreachable');
    await stage.page.getByRole('button', { name: 'Verify' }).click();
    await stage.page.locator('.verify .failure').waitFor();
  }),
};
