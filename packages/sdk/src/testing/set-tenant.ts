import { type Call, nextId, record, tenantDraft } from './call.ts';

interface Fields {
  readonly envelope_only: boolean | undefined;
  readonly monthly_encrypt_quota: number | null | undefined;
}

/** What the operator does with `eaas tenant set`. What is as it was already is no change, and writes no entry. */
export function setTenant(call: Call, fields: Fields): void {
  const { tenant } = call;
  const set = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && value !== tenant[name as keyof Fields],
  );
  if (set.length === 0) return;
  const metadata = { changed: set.map(([name]) => name), previous_change: tenant.rev };
  Object.assign(tenant, Object.fromEntries(set), { rev: nextId(tenant) });
  record(call, tenantDraft('tenant.update', metadata));
}
