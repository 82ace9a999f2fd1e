import { formatTimestamp, type Input, type Output } from '@eaas/protocol/wire';
import type { Call } from './call.ts';
import { wasDone } from './keys.ts';
import type { Tenant } from './tenant.ts';

type Operations = Output<'GET /v1/usage'>['operations'];

/** What was done in the UTC month of a time, or in a month as in 2026-11: read off the log. */
export function usedIn({ log }: Tenant, when: number | string): Operations {
  const month = typeof when === 'string' ? when : monthOf(when);
  const operations = { encrypt: 0, decrypt: 0, 'key.wrap': 0, 'key.unwrap': 0 };
  for (const entry of log) {
    if (!entry.created_at.startsWith(month) || !wasDone(entry)) continue;
    if (entry.action in operations) operations[entry.action as keyof Operations]++;
  }
  return operations;
}

/** GET /v1/usage. */
export function getUsage(
  { tenant }: Call,
  { month = monthOf(tenant.clock()) }: Input<'GET /v1/usage'>,
): Output<'GET /v1/usage'> {
  return { month, operations: usedIn(tenant, month), encrypt_quota: tenant.monthly_encrypt_quota };
}

function monthOf(time: number): string {
  return formatTimestamp(time).slice(0, 7);
}
