import { expect, test } from 'vitest';
import { settle, testWorld } from '@eaas/test-kit/world';
import { insider } from '../state/caller.ts';
import { Tampered } from '../base/refusal.ts';
import { batch } from './data-keys.ts';
import { createKey } from './keys.ts';

const world = await testWorld();

test('if a row was tampered with, only the batch items that need the row fail', async () => {
  const service = world.replica();
  const { tenantId } = await settle(service, 'ann');
  const operator = insider(tenantId, 'operator');
  const { key_id } = await createKey(service, operator, { name: 'key' });
  const lines: unknown[] = [];
  service.alarms.log = (fields) => lines.push(fields);
  const run = batch(
    (item) => item as { key_id: string; ok: boolean },
    (_key, _crypto, { ok }) => {
      if (!ok) throw new Tampered('keys', key_id, tenantId);
      return { draft: null, answer: { ok } };
    },
  );
  const items = [true, false].map((ok) => ({ key_id, ok }));
  const { results } = await run(service, operator, { items });
  expect(results).toEqual([{ ok: true }, { error: expect.objectContaining({ code: 'unavailable' }) }]);
  expect(service.alarms.tamperingFound).toBe(1);
  expect(lines).toEqual([{ table: 'keys', row_id: key_id, tenant_id: tenantId }]);
});
