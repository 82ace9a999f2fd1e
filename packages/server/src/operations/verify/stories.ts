import { parseUuid } from '@eaas/protocol';
import type { AuditAction } from '@eaas/protocol/wire';
import { type ChangeRow, forEachPage, readMetadata } from '../../store/audit-entries.ts';
import type { Sql } from '../../store/sql.ts';
import { rowIdOf } from '../../store/subjects.ts';
import type { Inspection } from './report.ts';

/** The changes of one row after the purge, according to the audit entries. */
export interface Story {
  readonly first: number;
  readonly created: number | undefined;
  readonly before: number | undefined;
  last: number;
  length: number;
  readonly breaks: Break[];
}

/** An audit entry whose `previous_change` is wrong, because it does not name the preceding change of the row. */
interface Break {
  readonly id: number;
  readonly explainedBy: readonly number[];
}

export async function readStories(sql: Sql, inspection: Inspection, anchorId: number) {
  const stories = new Map<string, Story>();
  const range = { after: anchorId, through: Number.MAX_SAFE_INTEGER };
  await forEachChange(sql, inspection, range, (row) => {
    const rowName = rowNameOf(inspection.tenantId, row);
    const story = stories.get(rowName);
    if (story) continueStory(story, row);
    else stories.set(rowName, beginStory(row));
  });
  return stories;
}

function beginStory(row: ChangeRow): Story {
  const { id } = row;
  const created = row.action.endsWith('.create') ? id : undefined;
  return { first: id, created, before: previousChange(row), last: id, length: 1, breaks: [] };
}

function continueStory(story: Story, row: ChangeRow): void {
  const { id } = row;
  const previous = previousChange(row);
  if (previous !== story.last) {
    const explainedBy = [id];
    // This entry names `previous` as the row's preceding change, but the row's list of changes does not contain
    // `previous`. Someone has perhaps altered the entry `previous`, so that it no longer names the row.
    if (previous !== undefined && previous > story.last) explainedBy.push(previous);
    // A subject is erased once, so either entry can be the one that was altered.
    if (isStray(story, previous) || row.action === 'subject.erase') explainedBy.push(story.last);
    story.breaks.push({ id, explainedBy });
  }
  story.last = id;
  story.length++;
}

/**
 * Returns whether the last audit entry of a row does not follow the row's earlier entries. Someone perhaps altered this
 * entry, which recorded a change of another row before. `previous` is the id that the row, or the row's next entry,
 * names instead of this entry.
 */
export function isStray({ length, before, last, breaks }: Story, previous: number | undefined): boolean {
  return length === 1 ? before !== previous : breaks.at(-1)?.id === last;
}

function previousChange(row: ChangeRow): number | undefined {
  const previous = readMetadata(row)['previous_change'];
  return Number.isSafeInteger(previous) ? Number(previous) : undefined;
}

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
  'issuer.create',
  'issuer.update',
  'issuer.revoke',
  'tenant.update',
  'subject.erase',
];

export async function forEachChange(
  sql: Sql,
  { turns, tenantId }: Pick<Inspection, 'turns' | 'tenantId'>,
  range: { readonly after: number; readonly through: number },
  call: (row: ChangeRow) => void,
): Promise<void> {
  function* callAll(rows: readonly ChangeRow[]): Generator<undefined, void> {
    for (const row of rows) {
      call(row);
      yield;
    }
  }
  await forEachPage(sql, tenantId, changing, range, (rows) =>
    turns.run(tenantId, callAll(rows), { isBegun: true }),
  );
}

export function rowNameOf(tenantId: string, row: ChangeRow): string {
  if (row.action === 'tenant.update') return `tenant ${tenantId}`;
  if (row.action === 'subject.erase') return `subject ${idIn(row, 'subject', rowIdOf)}`;
  if (row.action.startsWith('issuer.')) return `issuer ${idIn(row, 'issuer_id')}`;
  if (!row.action.startsWith('api_key.')) return `key ${row.key_id}`;
  return `api_key ${idIn(row, 'api_key_id')}`;
}

function idIn(row: ChangeRow, name: string, asUuid = (id: string): string => id): string {
  const id = readMetadata(row)[name];
  return (typeof id === 'string' && parseUuid(asUuid(id))) || 'unknown';
}
