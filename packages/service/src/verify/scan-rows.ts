// Compares the rows of a tenant with the sum that the head carries, in one snapshot. Who removes, inserts, changes or puts back
// a row makes the sums differ; where the row's own MAC or record shows it, another finding names the row.
import { sameBytes } from '#platform';
import { checkHead, checkRow, masked, rowInSum } from '../ledger/row-macs.ts';
import type { Stored } from '../ledger/store.ts';
import type { Table } from '../ledger/table.ts';
import { heads } from '../ledger/tables.ts';
import { attempt } from '../rules/refusal.ts';
import type { Service } from '../service.ts';
import { reasonFor, report, type Walk } from './entries.ts';

/**
 * Scans all rows. Returns false if there are more than `most`, or no head to compare their sum with. No counter says how many
 * there are, because whoever changes rows could change it too.
 */
export async function scanRows({ store, tables }: Service, walk: Walk, most: number): Promise<boolean> {
  const { tenantId, secrets, findings } = walk;
  const summed = [...tables.values()].filter(({ isLoose }) => !isLoose);
  if (most === 0) return false;
  // The scan never waits for others: a snapshot that stays open keeps the database from cleaning up.
  return store.snapshot(tenantId, [], async (reader) => {
    const { head } = reader.known;
    let sum = 0n;
    let count = 0;
    for (const table of summed) {
      for await (const page of reader.rows(table)) {
        count += page.length;
        if (count > most) return false;
        for (const stored of page) {
          judgeRow(table, stored, walk);
          // A row with values that no sum can have was reported, and makes the sums differ.
          sum += attempt(() => rowInSum(secrets, table, stored.row)) ?? 0n;
        }
      }
    }
    if (!head || !attempt(() => checkHead(secrets, head))) return false;
    let headCount = 0;
    for await (const page of reader.rows(heads)) headCount += page.length;
    if (headCount > 1 || !sameBytes(masked(secrets, head, sum), head.sum)) {
      report(findings, 'rows_differ', null);
    }
    return true;
  });
}

function judgeRow(table: Table<never>, stored: Stored, { secrets, findings, today, last }: Walk): void {
  const { row, newest_rev } = stored;
  const rev = table.record?.revOf(row as never) ?? null;
  const isSound = attempt(() => checkRow(secrets, table, { row, newest_rev: rev })) !== undefined;
  if (!isSound) report(findings, reasonFor(table, 'changed', row), rev);
  // Another row can have stood there for a moment, while entries were judged by it.
  if (newest_rev !== rev || (isSound && today.wasAnother(table, row, last))) {
    report(findings, reasonFor(table, 'put_back', row), newest_rev);
  }
}
