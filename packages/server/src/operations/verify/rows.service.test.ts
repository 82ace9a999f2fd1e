import { permissions } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { settle, testWorld } from '@eaas/test-kit/world';
import { Turns } from '../../admission/turns.ts';
import { insider } from '../../state/caller.ts';
import { createApiKey } from '../api-keys.ts';
import { Findings, unhurried } from './report.ts';
import { walkRows } from './rows.ts';

const world = await testWorld();

class CountingTurns extends Turns {
  pauses = 0;

  override run<T>(...[tenantId, work, options]: Parameters<Turns['run']>): Promise<T> {
    const next = () => {
      const step = work.next();
      if (!step.done) this.pauses++;
      return step;
    };
    return super.run(tenantId, { next }, options) as Promise<T>;
  }
}

test('a verification lets other work run after the check of each API key', async () => {
  const service = world.replica();
  const { tenantId } = await settle(service, 'ann');
  for (let nth = 0; nth < 4; nth++) {
    await createApiKey(service, insider(tenantId, 'operator'), {
      name: 'more',
      permissions: [...permissions],
    });
  }
  const secrets = (await service.tenants.view(tenantId))?.state.secrets;
  if (!secrets) throw new Error('expected a tenant');
  const turns = new CountingTurns();
  const findings = new Findings();
  const inspection = { database: service.background, turns, tenantId, findings, ...unhurried };
  await walkRows(inspection, secrets, { table: 'api_keys', after: '00000000-0000-0000-0000-000000000000' });
  expect(turns.pauses).toBe(5);
  expect(findings.count).toBe(0);
});
