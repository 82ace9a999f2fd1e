import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import type { Service } from '../service.ts';
import { decide } from '../state/decide.ts';
import { monthOf } from '../state/time.ts';
import { monthUsage } from '../store/usage.ts';

/** GET /v1/usage: what was done in a month. */
export function getUsage(
  service: Service,
  caller: Caller,
  { month = monthOf(service.clock()) }: Input<'GET /v1/usage'>,
): Promise<Output<'GET /v1/usage'>> {
  return decide(service, caller, async ({ state }) => {
    const rows = await service.reads.snapshot((tx) => monthUsage(tx, caller.tenantId, month), 4_000);
    const of = (operation: string) => rows.find((row) => row.operation === operation)?.count ?? 0;
    const operations = {
      encrypt: of('encrypt'),
      decrypt: of('decrypt'),
      'key.wrap': of('key.wrap'),
      'key.unwrap': of('key.unwrap'),
    };
    const encrypt_quota = state.tenant.monthly_encrypt_quota;
    return { drafts: [], answer: { month, operations, encrypt_quota } };
  });
}
