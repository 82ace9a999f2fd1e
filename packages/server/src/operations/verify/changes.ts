import { parseUuid } from '@eaas/protocol';
import type { AuditAction } from '@eaas/protocol/wire';
import { changeEntries, type EntryRow } from '../../store/audit-entries.ts';
import type { Sql } from '../../store/sql.ts';

/** The actions that change a row. */
const changing: readonly AuditAction[] = [
  'key.create',
  'key.rotate',
  'key.disable',
  'key.enable',
  'key.destroy',
  'key.restore',
  'key.rotation_policy',
  'api_key.create',
  'api_key.update',
  'api_key.revoke',
  'tenant.update',
];

/** What the log says of one row. */
export interface Story {
  /** The entry that made it, if that is still there. */
  created: number | undefined;
  /** What had changed it before the first entry that is still there. */
  before: number | undefined;
  /** The last entry that changed it. */
  last: number;
  /** The first that changed it from another state than the one before had left. */
  unfounded: number | undefined;
}

/** What the log says, after an entry, of every row that it names: `key`, `api_key` or `tenant`, a space, and the id. */
export async function readStories(sql: Sql, tenantId: string, from: number): Promise<Map<string, Story>> {
  const stories = new Map<string, Story>();
  for (let after = from; ;) {
    const rows = await changeEntries(sql, tenantId, changing, after, 5_000);
    for (const row of rows) tell(stories, tenantId, row);
    const end = rows.at(-1);
    if (!end) return stories;
    after = end.id;
  }
}

function tell(stories: Map<string, Story>, tenantId: string, row: EntryRow): void {
  const metadata = readObject(row.metadata);
  const subject = subjectOf(row, tenantId, metadata);
  const previous = metadata['previous_change'];
  const story = stories.get(subject);
  if (story) {
    if (previous !== story.last) story.unfounded ??= row.id;
    story.last = row.id;
    return;
  }
  const created = row.action.endsWith('.create') ? row.id : undefined;
  const before = Number.isSafeInteger(previous) ? Number(previous) : undefined;
  stories.set(subject, { created, before, last: row.id, unfounded: undefined });
}

function subjectOf(row: EntryRow, tenantId: string, metadata: Record<string, unknown>): string {
  if (row.action === 'tenant.update') return `tenant ${tenantId}`;
  if (row.action.startsWith('api_key.')) return `api_key ${idIn(metadata['api_key_id'])}`;
  return `key ${row.key_id}`;
}

function idIn(value: unknown): string {
  return (typeof value === 'string' && parseUuid(value)) || 'unknown';
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
