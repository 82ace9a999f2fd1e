import { type Input, limits, type Output, parseTimestamp } from '@eaas/protocol/wire';
import type { Call } from './call.ts';
import { requireKeyId } from './require-key.ts';

/** GET /v1/audit, newest first. */
export function listAudit({ tenant, apiKey }: Call, input: Input<'GET /v1/audit'>): Output<'GET /v1/audit'> {
  const { limit = limits.pageDefault, offset = 0, action, date_from, date_to } = input;
  // A name is no key's id (404); an unknown key has no entries.
  const keyId = input.key_id === undefined ? undefined : requireKeyId(apiKey, input.key_id);
  const from = parseTimestamp(date_from ?? '', 'up') ?? Number.NEGATIVE_INFINITY;
  const to = parseTimestamp(date_to ?? '', 'down') ?? Number.POSITIVE_INFINITY;
  const matching = tenant.log
    .filter((entry) => keyId === undefined || entry.key_id === keyId)
    .filter((entry) => action === undefined || entry.action === action)
    .filter(({ created_at }) => Date.parse(created_at) >= from && Date.parse(created_at) <= to)
    .toReversed();
  const logs = matching.slice(offset, offset + limit);
  return { logs, count: logs.length, total: matching.length, limit, offset };
}
