// What a verification finds: the first findings, and the number of all. Tampered data never makes it throw.
import { idText, type Table } from '../ledger/table.ts';

/** What is not as the service wrote it. `id` is that of the entry that it concerns. `count`: how many findings there are. */
export interface Findings {
  readonly first: { readonly id: number | null; readonly reason: string }[];
  count: number;
}

const mostShown = 100;

/** Reports a finding, or as many as entries are concerned: they follow the one with the id. */
export function report(findings: Findings, reason: string, id: unknown, entries = 1): void {
  // A tampered row can have a number that is no id.
  const known = Number.isSafeInteger(id) && Number(id) >= 0 ? Number(id) : undefined;
  for (let nth = 0; nth < entries && findings.first.length < mostShown; nth++) {
    findings.first.push({ id: known === undefined ? null : known + nth, reason });
  }
  findings.count = Math.min(findings.count + entries, Number.MAX_SAFE_INTEGER);
}

/** Names a row as findings do, as in `key_changed: 1f0c…`. Of bytes, as of a person's id, it shows the first half. */
export function reasonFor(table: Table<never>, what: 'changed' | 'missing' | 'put_back', row: object) {
  const values = row as Readonly<Record<string, unknown>>;
  const id = table.id.map((name) =>
    values[name] instanceof Uint8Array ? idText(values[name]).slice(0, 32) : values[name],
  );
  return `${table.name.slice(0, -1)}_${what}: ${id.join(' ')}`;
}
