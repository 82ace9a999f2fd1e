// A tenant in a store in memory, and servers on that store.
import { randomBytes } from 'node:crypto';
import { memoryStore } from '@eaas/local/internal';
import type { Input, Route } from '@eaas/protocol/wire';
import { rootKey } from '../src/crypto/tenant-secrets.ts';
import { run } from '../src/operate.ts';
import { insider } from '../src/operation.ts';
import { newTenant } from '../src/operations/tenants.ts';
import type { Plugin } from '../src/plugin.ts';
import { createService } from '../src/service.ts';

type Options = Partial<Parameters<typeof memoryStore>[0] & Parameters<typeof createService>[0]>;

/**
 * `start` starts another server, with plugins of its own. `callOn` asks a server as the operator, and `call` the first one.
 */
export async function openTenant(
  { now = Date.now, wait = async () => {}, ...options }: Options = {},
  plugins: () => readonly Plugin[] = () => [],
) {
  const store = memoryStore({ now, wait });
  const roots = [rootKey(randomBytes(32))] as const;
  const { head, writes, record } = newTenant(roots, { name: 'ann', envelope_only: false }, now());
  await store.create(head, writes);
  const start = (more: Options = {}) =>
    createService({ store, roots, patience: 600_000, plugins: plugins(), ...options, ...more });
  const operator = insider(record.tenant_id, 'operator');
  const callOn =
    (service: ReturnType<typeof start>) =>
    async <R extends Route>(route: R, input: Input<R>) =>
      (await run(service, operator, route, input)).answer;
  const service = start();
  return {
    store,
    roots,
    tenantId: record.tenant_id,
    operator,
    start,
    service,
    callOn,
    call: callOn(service),
  };
}
