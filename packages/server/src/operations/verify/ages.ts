import { parseUuid } from '@eaas/protocol';
import type { Steps } from '@eaas/protocol/service';
import { type RowAge, rowAges, strayVersions } from '../../store/row-pages.ts';
import { changedRows } from '../../store/rows.ts';
import type { Sql } from '../../store/sql.ts';
import type { Findings, Inspection } from './report.ts';
import { isStray, readStories, type Story } from './stories.ts';

export interface Ages {
  readonly rows: readonly RowAge[];
  readonly stories: ReadonlyMap<string, Story>;
}

export async function judgeAges(sql: Sql, inspection: Inspection, anchorId: number): Promise<Ages> {
  const { turns, tenantId, findings } = inspection;
  const stories = await readStories(sql, inspection, anchorId);
  const rows = await rowAges(sql, tenantId);
  for (const { key_id: keyId, key_version: version } of await strayVersions(sql, tenantId)) {
    findings.add('key_version_unexpected', null, `${keyId} ${version}`);
  }
  await turns.run(tenantId, compare(rows, stories, anchorId, findings));
  return { rows, stories };
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
  for (const [subject, story] of stories) {
    yield;
    if (existing.has(subject)) continue;
    const [kind, id] = subject.split(' ');
    const causes = [story.length === 1 ? [story.last] : []];
    findings.addUnlessExplained(causes, kind === 'key' ? 'key_missing' : 'api_key_missing', story.last, id);
  }
}

function judgeAge(row: RowAge, story: Story | undefined, anchorId: number, findings: Findings): void {
  const causes = [...causesOfAge(row, story, anchorId)];
  if (causes.length === 0) return;
  const id = story?.breaks[0]?.id ?? story?.last ?? row.recorded ?? row.rev;
  findings.addUnlessExplained(causes, `${row.kind}_put_back`, id, row.id);
}

function* causesOfAge(
  { rev, created_id, recorded }: RowAge,
  story: Story | undefined,
  anchorId: number,
): Generator<readonly number[], void> {
  const isNewest = recorded === null || recorded <= rev;
  const isLast = story ? rev === story.last : rev <= anchorId;
  const isCreated = story?.created === undefined ? created_id <= anchorId : created_id === story.created;
  if (!isNewest) yield [];
  if (!isLast && rev > (story?.last ?? anchorId)) yield [rev];
  else if (!isLast) yield story && isStray(story, rev) ? [story.last] : [];
  if (!isCreated) yield story?.created === undefined ? [created_id] : [story.created, created_id];
  // A restored old row can look valid after its next change, but the audit entry of that change has a wrong
  // `previous_change`.
  for (const { explainedBy } of story?.breaks ?? []) yield explainedBy;
}
