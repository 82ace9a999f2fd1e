import { parseUuid } from '@eaas/protocol';
import type { Steps } from '@eaas/protocol/service';
import { livingSubjects, recordedRevs, type RowAge, rowAges, strayVersions } from '../../store/row-pages.ts';
import type { Sql } from '../../store/sql.ts';
import type { Findings, Inspection } from './report.ts';
import { isStray, readStories, type Story } from './stories.ts';

export type Ages = Awaited<ReturnType<typeof judgeAges>>;

export async function judgeAges(sql: Sql, inspection: Inspection, anchorId: number) {
  const { tenantId, findings } = inspection;
  const stories = await readStories(sql, inspection, anchorId);
  for (const { key_id: keyId, key_version: version } of await strayVersions(sql, tenantId)) {
    findings.add('key_version_unexpected', null, `${keyId} ${version}`);
  }
  return { rows: await compare(sql, inspection, stories, anchorId), stories };
}

async function compare(
  sql: Sql,
  { turns, tenantId, findings, timeLeft }: Inspection,
  stories: ReadonlyMap<string, Story>,
  anchorId: number,
): Promise<RowAge[]> {
  const rows = await rowAges(sql, tenantId);
  const recorded = await recordedRevs(sql, tenantId);
  const inTurns = <T>(work: Steps<T>): Promise<T> =>
    turns.run(tenantId, work, { isBegun: true, within: timeLeft() });
  const existing = new Set<string>();
  function* judge(some: readonly RowAge[]): Steps<void> {
    for (const row of some) {
      const rowName = `${row.kind} ${row.id}`;
      if (existing.has(rowName)) findings.add('row_duplicated', row.rev, rowName);
      existing.add(rowName);
      judgeAge(row, recorded.get(row.id), stories.get(rowName), anchorId, findings);
      yield;
    }
  }
  function* judgeMissing(): Steps<void> {
    for (const [rowName, story] of stories) {
      yield;
      if (existing.has(rowName)) continue;
      const [kind, id] = rowName.split(' ') as [Exclude<RowAge['kind'], 'tenant'>, string];
      const causes = [story.length === 1 ? [story.last] : []];
      findings.addUnlessExplained(causes, `${kind}_missing`, story.last, shownId(kind, id));
    }
  }
  await inTurns(judge(rows));
  // An erased subject without a tombstone was removed or put back.
  const unseen = await inTurns(idsWithoutRow(rows, recorded, stories));
  if (unseen.length > 0) await inTurns(judge(await livingSubjects(sql, tenantId, unseen)));
  await inTurns(judgeMissing());
  return rows;
}

function* idsWithoutRow(
  rows: readonly RowAge[],
  recorded: ReadonlyMap<string, number>,
  stories: ReadonlyMap<string, Story>,
): Steps<string[]> {
  const seen = new Set<string>();
  for (const { id } of rows) {
    seen.add(id);
    yield;
  }
  const unseen = new Set<string>();
  for (const id of recorded.keys()) {
    if (!seen.has(id)) unseen.add(id);
    yield;
  }
  for (const rowName of stories.keys()) {
    const id = parseUuid(rowName.replace(/^subject /, ''));
    if (id && !seen.has(id)) unseen.add(id);
    yield;
  }
  return [...unseen];
}

/** A finding shows the id of a subject as the log does. */
const shownId = (kind: RowAge['kind'], id: string): string =>
  kind === 'subject' ? id.replaceAll('-', '') : id;

function judgeAge(
  row: RowAge,
  recorded: number | undefined,
  story: Story | undefined,
  anchorId: number,
  findings: Findings,
): void {
  const causes = [...causesOfAge(row, recorded, story, anchorId)];
  if (causes.length === 0) return;
  const id = story?.breaks[0]?.id ?? story?.last ?? recorded ?? row.rev;
  findings.addUnlessExplained(causes, `${row.kind}_put_back`, id, shownId(row.kind, row.id));
}

function* causesOfAge(
  { kind, rev, created_id }: RowAge,
  recorded: number | undefined,
  story: Story | undefined,
  anchorId: number,
): Generator<readonly number[], void> {
  const isNewest = recorded === undefined || recorded <= rev;
  const isLast = story ? rev === story.last : rev <= anchorId;
  // The walk of the rows compares a subject with the entry that creates it, which is no change.
  const isCreated =
    kind === 'subject' ||
    (story?.created === undefined ? created_id <= anchorId : created_id === story.created);
  if (!isNewest) yield [];
  if (!isLast && rev > (story?.last ?? anchorId)) yield [rev];
  else if (!isLast) yield story && isStray(story, rev) ? [story.last] : [];
  if (!isCreated) yield story?.created === undefined ? [created_id] : [story.created, created_id];
  // A restored old row can look valid after its next change, but the audit entry of that change has a wrong
  // `previous_change`.
  for (const { explainedBy } of story?.breaks ?? []) yield explainedBy;
}
