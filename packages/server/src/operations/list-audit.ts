import {
  auditActions,
  formatTimestamp,
  type Input,
  limits,
  type Output,
  parseTimestamp,
} from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { tampered } from '../refusal.ts';
import type { Service } from '../service.ts';
import { decide } from '../state/decide.ts';
import { anchorHolds, checkedHead } from '../state/integrity.ts';
import type { TenantState } from '../state/tenant-state.ts';
import { findAnchor } from '../store/anchors.ts';
import { countEntries, type EntryRow, firstEntrySince, listEntries } from '../store/audit-entries.ts';
import { findHead } from '../store/heads.ts';
import type { Sql } from '../store/sql.ts';
import { requireKeyId } from './require-key.ts';

type Request = Input<'GET /v1/audit'>;
type Page = Output<'GET /v1/audit'>;

interface Range {
  readonly first: number;
  readonly last: number;
}

/** GET /v1/audit, newest first. */
export function listAudit(service: Service, caller: Caller, input: Request): Promise<Page> {
  return decide(service, caller, async ({ state, apiKey }) => {
    const { limit = limits.pageDefault, offset = 0 } = input;
    // A name is no key's id (404); an unknown key has no entries.
    const keyId = input.key_id === undefined ? undefined : requireKeyId(apiKey, input.key_id);
    const { rows, total } = await service.reads.snapshot(
      (tx) => read(tx, state, { ...input, keyId, limit, offset }),
      4_000,
    );
    const logs = rows.map((row) => shownEntry(caller.tenantId, row));
    return { drafts: [], answer: { logs, count: logs.length, total, limit, offset } };
  });
}

async function read(
  sql: Sql,
  state: TenantState,
  input: Request & { keyId: string | undefined; limit: number; offset: number },
): Promise<{ rows: EntryRow[]; total: number }> {
  const { keyId, action, limit, offset } = input;
  const { tenant_id: tenantId } = state.tenant;
  const range = await rangeOf(sql, state, input);
  if (keyId === undefined && action === undefined) {
    // Ids have no gap, so the total and the page are arithmetic, and cost the same at any depth.
    const last = range.last - offset;
    const rows = await listEntries(sql, tenantId, { ...range, last }, {}, { limit, offset: 0 });
    return { rows, total: Math.max(0, range.last - range.first + 1) };
  }
  const filter = { keyId, action };
  const [rows, total] = await Promise.all([
    listEntries(sql, tenantId, range, filter, { limit, offset }),
    countEntries(sql, tenantId, range, filter),
  ]);
  return { rows, total };
}

/** The ids between the dates, both inclusive. */
async function rangeOf(
  sql: Sql,
  { tenant, secrets }: TenantState,
  { date_from, date_to }: Request,
): Promise<Range> {
  const { tenant_id: tenantId } = tenant;
  const [head, anchor] = await Promise.all([findHead(sql, tenantId), findAnchor(sql, tenantId)]);
  // What is between them is counted, not looked at.
  if (head) checkedHead(secrets, tenantId, head);
  if (anchor && !anchorHolds(secrets, tenantId, anchor)) throw tampered();
  const all = { first: (anchor?.id ?? 0) + 1, last: head?.id ?? 0 };
  const from = date_from === undefined ? undefined : parseTimestamp(date_from, 'up');
  const to = date_to === undefined ? undefined : parseTimestamp(date_to, 'down');
  const first = from === undefined ? all.first : await firstEntrySince(sql, tenantId, from, all);
  const last = to === undefined ? all.last : (await firstEntrySince(sql, tenantId, to + 1, all)) - 1;
  return { first, last };
}

/** An entry as the API shows it. One that was changed into what the API cannot say is not shown: 503. */
export function shownEntry(tenantId: string, row: EntryRow): Page['logs'][number] {
  const action = auditActions.find((known) => known === row.action);
  const complete = typeof row.actor === 'string' && row.hash instanceof Uint8Array;
  if (!action || !complete || !Number.isSafeInteger(row.key_version ?? 0)) throw tampered();
  return {
    id: row.id,
    tenant_id: tenantId,
    action,
    key_id: row.key_id,
    key_version: row.key_version,
    actor: row.actor,
    ip_address: row.ip_address,
    metadata: readMetadata(row.metadata),
    created_at: formatTimestamp(row.created_at),
    hash: Buffer.from(row.hash).toString('hex'),
  };
}

function readMetadata(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Changed behind the service's back: verify reports it, and a list must not fail over it.
  }
  return {};
}
