// Compares the rows of a tenant with the sum that the head carries, in one snapshot. Who removes, inserts, changes or puts back
// a row makes the sums differ; where the row's own MAC or record shows it, another
// finding names the row.
import { sameBytes } from '#platform';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { checkHead, checkRow, heads, masked, rowInSum } from '../ledger/row-macs.ts';
import type { Stored } from '../ledger/store.ts';
import { nameOf, type Query, type Table } from '../ledger/table.ts';
import { attempt } from '../rules/refusal.ts';
import type { Service } from '../service.ts';
import { type Findings, reasonFor, report, type Walk } from './entries.ts';

/** Scans all rows. Returns false if there are more than `most`, or no head to compare their sum with. */
export async function scanRows({ store, tables }: Service, walk: Walk, most: number): Promise<boolean> {
  const { tenantId, secrets, findings } = walk;
  const summed = [...tables.values()].filter(({ isLoose }) => !isLoose);
  const counts = summed.map((table): Query<never> => ({ table, where: [], limit: 0, counts: true }));
  // The scan never waits for others: a snapshot that stays open keeps the database from cleaning up.
  return store.snapshot(tenantId, most === Infinity ? [] : counts, async (reader) => {
    const { head, found } = reader.known;
    const total = counts.reduce((sum, query) => sum + (found.get(nameOf(query))?.total ?? 0), 0);
    if (total > most) return false;
    let sum = 0n;
    for (const table of summed) {
      for await (const page of reader.rows(table)) {
        for (const stored of page) {
          judgeRow(table, stored, secrets, findings);
          // A row with values that no sum can have was reported, and makes the sums differ.
          sum += attempt(() => rowInSum(secrets, table, stored.row)) ?? 0n;
        }
      }
    }
    if (!head || !attempt(() => checkHead(secrets, head))) return false;
    let headCount = 0;
    for await (const page of reader.rows(heads)) headCount += page.length;
    if (headCount > 1 || !sameBytes(masked(secrets, head, sum), head.sum))
      report(findings, 'rows_differ', null);
    return true;
  });
}

function judgeRow(table: Table<never>, stored: Stored, secrets: TenantSecrets, findings: Findings): void {
  const { row, newest_rev } = stored;
  const rev = table.record?.revOf(row as never) ?? null;
  if (!attempt(() => checkRow(secrets, table, { row, newest_rev: rev }))) {
    report(findings, reasonFor(table, 'changed', row), rev);
  }
  if (newest_rev !== rev) report(findings, reasonFor(table, 'put_back', row), newest_rev);
}
