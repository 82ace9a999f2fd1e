import { createHash } from 'node:crypto';
import { pae } from '@eaas/protocol';
import type { Steps } from '@eaas/protocol/service';
import { sameBytes } from '../../crypto/hmac.ts';
import { recordedRevs } from '../../store/row-pages.ts';
import type { Sql } from '../../store/sql.ts';
import type { Ages } from './ages.ts';
import { forEachChange, rowNameOf } from './stories.ts';
import type { Causes, Inspection } from './report.ts';

/**
 * Maps the kind and the id of each row to the row's `rev` at the time of a purge. A `rev` is the id of the audit entry
 * that recorded the last change of the row.
 */
export type RowsThen = Map<string, number>;

export interface RowsAnchor {
  readonly id: number;
  readonly digest: Uint8Array | undefined;
}

export async function rowsAtAnchor(
  sql: Sql,
  inspection: Inspection,
  ages: Ages,
  anchor: RowsAnchor,
): Promise<RowsThen> {
  const { turns, tenantId, findings, timeLeft } = inspection;
  const rows = await turns.run(tenantId, rowsAt(anchor.id, ages), { isBegun: true, within: timeLeft() });
  if (!anchor.digest || sameBytes(await rowsDigest(inspection, rows), anchor.digest)) return rows;
  const causes = await causesOfDifference(sql, inspection, ages, { ...anchor, rows });
  findings.addUnlessExplained(causes, 'rows_differ_from_anchor', anchor.id);
  return rows;
}

/**
 * Called if the digest of the rows that the audit entries describe differs from the digest that the purge stored. The
 * function computes the digest again with the last changes in the table `row_records`. If it then matches, the audit
 * entries that contradict `row_records` are the causes. Otherwise, no audit entry explains the difference.
 */
async function causesOfDifference(
  sql: Sql,
  inspection: Inspection,
  { rows, stories }: Ages,
  { id, digest, rows: told }: RowsAnchor & { readonly rows: RowsThen },
): Promise<Causes> {
  const recorded = await recordedRevs(sql, inspection.tenantId, id);
  const then = new Map(told);
  const causes: number[][] = [];
  for (const row of rows) {
    const rowName = `${row.kind} ${row.id}`;
    const rev = recorded.get(row.id);
    if (rev === undefined || rev === told.get(rowName)) continue;
    then.set(rowName, rev);
    const story = stories.get(rowName);
    causes.push(story ? [story.first, story.before ?? story.first] : [row.rev]);
  }
  for (const [rowName, { first }] of stories) {
    if (recorded.has(rowName.split(' ')[1] ?? '') || !then.delete(rowName)) continue;
    causes.push([first]);
  }
  const isExplained = digest && sameBytes(await rowsDigest(inspection, then), digest);
  return isExplained ? causes : [[]];
}

function* rowsAt(anchorId: number, { rows, stories }: Ages): Steps<RowsThen> {
  const then: RowsThen = new Map();
  for (const { kind, id, rev } of rows) {
    if (rev <= anchorId && Number.isSafeInteger(rev)) then.set(`${kind} ${id}`, rev);
    yield;
  }
  for (const [rowName, { before }] of stories) {
    if (before !== undefined && before <= anchorId) then.set(rowName, before);
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
  await forEachChange(sql, inspection, range, (entry) => rows.set(rowNameOf(tenantId, entry), entry.id));
}

export function rowsDigest({ turns, tenantId, timeLeft }: Inspection, rows: RowsThen): Promise<Uint8Array> {
  return turns.run(tenantId, digest(rows), { isBegun: true, within: timeLeft() });
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
