import { createHash } from 'node:crypto';
import { pae, parseUuid } from '@eaas/protocol';
import type { Steps } from '@eaas/protocol/service';
import { type RowAge, rowAges, strayVersions } from '../../store/row-pages.ts';
import { changedRows } from '../../store/rows.ts';
import type { Sql } from '../../store/sql.ts';
import { forEachChange, readMetadata, subjectOf } from './changes.ts';
import type { Findings, Inspection } from './report.ts';

export type RowsThen = Map<string, number>;

interface Story {
  readonly created: number | undefined;
  readonly before: number | undefined;
  last: number;
  wrongEntryId: number | undefined;
}

export async function judgeAges(sql: Sql, inspection: Inspection, anchorId: number): Promise<RowsThen> {
  const { turns, tenantId, findings } = inspection;
  const stories = await readStories(sql, inspection, anchorId);
  const rows = await rowAges(sql, tenantId);
  for (const { key_id: keyId, key_version: version } of await strayVersions(sql, tenantId)) {
    findings.add('key_version_unexpected', null, `${keyId} ${version}`);
  }
  await turns.run(tenantId, compare(rows, stories, anchorId, findings));
  return turns.run(tenantId, rowsAt(anchorId, rows, stories));
}

export async function judgeRecentAges(sql: Sql, inspection: Inspection, since: number): Promise<string[]> {
  const { turns, tenantId, findings } = inspection;
  const stories = await readStories(sql, inspection, since);
  const recorded = await changedRows(sql, tenantId, since, Number.MAX_SAFE_INTEGER);
  const named = Array.from(stories.keys(), (subject) => parseUuid(subject.split(' ')[1] ?? ''));
  const ids = [...new Set([...recorded, ...named.filter((id) => id !== undefined)])];
  const rows = await rowAges(sql, tenantId, ids);
  await turns.run(tenantId, compare(rows, stories, since, findings));
  return ids;
}

async function readStories(sql: Sql, inspection: Inspection, anchorId: number) {
  const stories = new Map<string, Story>();
  const range = { after: anchorId, through: Number.MAX_SAFE_INTEGER };
  await forEachChange(sql, inspection, range, (row) => {
    const { id } = row;
    const subject = subjectOf(inspection.tenantId, row);
    const previous = readMetadata(row)['previous_change'];
    const story = stories.get(subject);
    if (story) {
      if (previous !== story.last) story.wrongEntryId ??= id;
      story.last = id;
      return;
    }
    const created = row.action.endsWith('.create') ? id : undefined;
    const before = Number.isSafeInteger(previous) ? Number(previous) : undefined;
    stories.set(subject, { created, before, last: id, wrongEntryId: undefined });
  });
  return stories;
}

function* compare(
  rows: readonly RowAge[],
  stories: ReadonlyMap<string, Story>,
  anchorId: number,
  findings: Findings,
): Steps<void> {
  const existing = new Set<string>();
  for (const row of rows) {
    const subject = `${row.kind} ${row.id}`;
    if (existing.has(subject)) findings.add('row_duplicated', row.rev, subject);
    existing.add(subject);
    judgeAge(row, stories.get(subject), anchorId, findings);
    yield;
  }
  for (const [subject, { last }] of stories) {
    yield;
    if (existing.has(subject)) continue;
    const [kind = '', id] = subject.split(' ');
    findings.add(kind === 'key' ? 'key_missing' : 'api_key_missing', last, id);
  }
}

/** If a later change makes an old row look valid, the audit entry of that change has a wrong `previous_change`. */
function judgeAge(row: RowAge, story: Story | undefined, anchorId: number, findings: Findings): void {
  const { rev, created_id, recorded } = row;
  const isNewest = recorded === null || recorded <= rev;
  const isLast = story ? rev === story.last : rev <= anchorId;
  const isCreated = story?.created === undefined ? created_id <= anchorId : created_id === story.created;
  if (isNewest && isLast && isCreated && story?.wrongEntryId === undefined) return;
  findings.add(`${row.kind}_put_back`, story?.wrongEntryId ?? story?.last ?? recorded ?? rev, row.id);
}

function* rowsAt(
  anchorId: number,
  rows: readonly RowAge[],
  stories: ReadonlyMap<string, Story>,
): Steps<RowsThen> {
  const then: RowsThen = new Map();
  for (const { kind, id, rev } of rows) {
    if (rev <= anchorId && Number.isSafeInteger(rev)) then.set(`${kind} ${id}`, rev);
    yield;
  }
  for (const [subject, { before }] of stories) {
    if (before !== undefined && before <= anchorId) then.set(subject, before);
    yield;
  }
  return then;
}

export async function advanceRows(
  sql: Sql,
  inspection: Inspection,
  rows: RowsThen,
  range: { readonly after: number; readonly through: number },
): Promise<void> {
  const { tenantId } = inspection;
  await forEachChange(sql, inspection, range, (entry) => rows.set(subjectOf(tenantId, entry), entry.id));
}

export function rowsDigest({ turns, tenantId }: Inspection, rows: RowsThen): Promise<Uint8Array> {
  return turns.run(tenantId, digest(rows));
}

/** A tenant can have millions of rows, so they are sorted in slices with pauses. */
function* digest(rows: RowsThen): Steps<Uint8Array> {
  const slices = new Map<string, [string, number][]>();
  for (const row of rows) {
    const [prefix] = /^\S* ?.{0,3}/.exec(row[0]) ?? [''];
    const slice = slices.get(prefix);
    if (slice) slice.push(row);
    else slices.set(prefix, [row]);
    yield;
  }
  const count = Buffer.alloc(4);
  count.writeUInt32BE(1 + 2 * rows.size);
  const hash = createHash('sha256').update(count).update(withoutCount('eaas rows v1'));
  for (const [, slice] of [...slices].sort(byText)) {
    hash.update(withoutCount(...slice.sort(byText).flat()));
    yield;
  }
  return hash.digest();
}

function byText([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function withoutCount(...parts: readonly (string | number)[]): Uint8Array {
  return pae(...parts).subarray(4);
}
