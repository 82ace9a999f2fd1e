import { entryHash } from '@eaas/protocol/audit';
import { formatTimestamp, type Input, type Output } from '@eaas/protocol/wire';
import { type Call, hashOf } from './call.ts';
import { openCheckpoint } from './checkpoint.ts';
import { Refusal } from './refusal.ts';
import { type Entry, type Tenant, toHex } from './tenant.ts';

type Report = Output<'GET /v1/audit/verify'>;

const shown = 100;

/** GET /v1/audit/verify: recomputes the public chain, and holds it against a checkpoint. */
export async function verifyAudit(call: Call, input: Input<'GET /v1/audit/verify'>): Promise<Report> {
  const { tenant } = call;
  const errors: Report['errors'] = [];
  const checkpoint = await judgeCheckpoint(tenant, input.checkpoint, errors);
  const head = { id: tenant.log.length, hash: toHex(hashOf(tenant, tenant.log.length)) };
  const [first, last] = [input.from_id ?? 1, Math.min(input.to_id ?? head.id, head.id)];
  const range = tenant.log.slice(first - 1, last);
  for (const entry of range)
    if (!isChained(tenant, entry)) errors.push({ id: entry.id, reason: 'entry_changed' });
  return {
    valid: errors.length === 0,
    complete: true,
    next_id: null,
    checked: range.length,
    first_id: range.at(0)?.id ?? null,
    last_id: range.at(-1)?.id ?? null,
    purged_through: null,
    head,
    errors: errors.slice(0, shown),
    error_count: errors.length,
    checkpoint,
    verified_at: formatTimestamp(tenant.clock()),
  };
}

function isChained(tenant: Tenant, { hash, ...entry }: Entry): boolean {
  return hash === toHex(entryHash(hashOf(tenant, entry.id - 1), entry));
}

async function judgeCheckpoint(
  tenant: Tenant,
  text: string | undefined,
  errors: Report['errors'],
): Promise<Report['checkpoint']> {
  if (text === undefined) return null;
  const stated = await openCheckpoint(tenant, text);
  if (!stated) {
    throw new Refusal(
      'bad_request',
      '`checkpoint` is not one that this tenant was given: check that it is whole.',
    );
  }
  const { id } = stated;
  const hash = toHex(stated.hash);
  if (id > tenant.log.length) errors.push({ id, reason: 'checkpoint_ahead' });
  else if (toHex(hashOf(tenant, id)) !== hash) errors.push({ id, reason: 'checkpoint_mismatch' });
  return { id, hash, valid: errors.length === 0 };
}
