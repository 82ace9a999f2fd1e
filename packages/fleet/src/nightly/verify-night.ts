import {
  allRows,
  beginInspection,
  type ChainHead,
  changedRows,
  compareHead,
  type Ends,
  type Findings,
  firstRow,
  type Inspection,
  judgeAllAges,
  judgeEnds,
  judgeRecentAges,
  macHolds,
  type Service,
  type Sql,
  startWalk,
  type TenantSecrets,
  unhurried,
  unlessPurged,
  walkEntries,
  walkRows,
} from '@eaas/server/internal';
import { type Block, dueBlocks, dueRows, isDue, nights } from './nights.ts';
import { findMarker, type MarkerRow, markerTable } from './verifications.ts';

export interface NightOptions {
  /** The number of the current night: the days since 1970-01-01. */
  readonly tonight: number;
  readonly shouldStop: () => boolean;
  readonly onProgress: (verified: ChainHead) => Promise<void>;
}

export interface VerifiedNight {
  readonly head: ChainHead;
  readonly anchor: ChainHead;
  readonly findings: Findings;
  /** Whether everything that was due was verified before `shouldStop`. */
  readonly isComplete: boolean;
  readonly checked: number;
}

const progressStep = 1_000_000;

/**
 * Reads the whole log if the last 30 nights have no valid record of a verification, or if the last verification had
 * findings.
 */
export function verifyNight(
  service: Service,
  tenantId: string,
  options: NightOptions,
): Promise<VerifiedNight> {
  return unlessPurged(service, tenantId, () => verifyOnce(service, tenantId, options));
}

async function verifyOnce(service: Service, tenantId: string, options: NightOptions): Promise<VerifiedNight> {
  const { tonight, shouldStop } = options;
  const inspection = beginInspection(service, tenantId, { shouldStop });
  const { database, findings } = inspection;
  const { ends, marker, recent } = await database.snapshot(async (tx) => {
    const ends = await judgeEnds(tx, inspection, service.tenants.roots);
    const { secrets } = ends;
    const marker = secrets && (await trustedMarker(tx, inspection, secrets, ends, tonight));
    if (marker && !isDue({ tenantId, since: marker.night, tonight }, 0)) {
      return { ends, marker, recent: await judgeRecentAges(tx, inspection, marker.id) };
    }
    if (secrets) await judgeAllAges(tx, inspection, ends);
    const recent = marker ? await changedRows(tx, tenantId, marker.id) : [];
    return { ends, marker, recent };
  }, unhurried.timeLeft());
  const { secrets, head, anchor } = ends;
  const found = { head, anchor, findings };
  if (!secrets) return { ...found, isComplete: true, checked: 0 };
  const ranges = marker ? [...dueRows({ tenantId, since: marker.night, tonight })] : [allRows];
  const isCovered = (id: string): boolean => ranges.some(({ after, through }) => id > after && id <= through);
  ranges.push({ ...allRows, among: recent.filter((id) => !isCovered(id)) });
  for (const range of ranges) {
    await walkRows(inspection, secrets, { ...firstRow, after: range.after }, range);
    if (shouldStop()) return { ...found, isComplete: false, checked: 0 };
  }
  const checked = await walkDue(inspection, secrets, ends, marker, options);
  return { ...found, isComplete: checked !== undefined, checked: checked ?? 0 };
}

async function walkDue(
  inspection: Inspection,
  secrets: TenantSecrets,
  { head, anchor }: Ends,
  marker: Marker | undefined,
  { tonight, shouldStop, onProgress }: NightOptions,
): Promise<number | undefined> {
  const { database, tenantId, findings } = inspection;
  let checked = 0;
  const walkFrom = async ({ first, last }: Block, start: ChainHead, step: number): Promise<boolean> => {
    const walk = await database.run((sql) => startWalk(sql, tenantId, first, start));
    while (walk.next <= last) {
      await walkEntries(inspection, secrets, walk, Math.min(last, walk.next + step - 1));
      if (shouldStop()) return false;
      const { next, previous: hash } = walk;
      if (next <= last && hash && findings.count === 0) await onProgress({ id: next - 1, hash });
    }
    checked += walk.checked;
    return true;
  };
  const older = { first: anchor.id + 1, last: marker?.id ?? 0 };
  if (marker) {
    for (const block of dueBlocks({ tenantId, since: marker.night, tonight }, older)) {
      if (!(await walkFrom(block, anchor, Number.MAX_SAFE_INTEGER))) return undefined;
    }
  }
  const start = marker ?? anchor;
  const isDone = await walkFrom({ first: start.id + 1, last: head.id }, start, progressStep);
  return isDone ? checked : undefined;
}

type Marker = Pick<MarkerRow, 'id' | 'hash' | 'night'>;

async function trustedMarker(
  sql: Sql,
  { tenantId, findings }: Inspection,
  secrets: TenantSecrets,
  ends: Ends,
  tonight: number,
): Promise<Marker | undefined> {
  const row = await findMarker(sql, tenantId);
  if (!row || !macHolds(secrets, markerTable, row)) return undefined;
  const reason = await compareHead(sql, tenantId, row, ends);
  // The marker stores the id and the hash of an entry. Its MAC proves that the log once contained this entry. If the
  // entry is now missing or different although it was not purged, the log was replaced.
  if (reason && reason !== 'checkpoint_purged') findings.add(reason, row.id);
  const { id, hash, night } = row;
  const isRecent = night < tonight && tonight - night <= nights;
  return reason === undefined && row.valid && isRecent ? { id, hash, night } : undefined;
}
