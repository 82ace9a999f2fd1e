// Reports on a person, and their rows, which are the same in the SDK, the console and the command line.
import { oneOf, type OptionRules } from '@eaas/protocol/internal';
import type { AuditEntry, AuditListOptions } from './query.ts';

/** Options of a report: in which order, and how many entries per request. */
export type ReportOptions = Omit<AuditListOptions, 'from'>;

/** Options of `audit.report`. */
export interface PersonReportOptions extends ReportOptions {
  /** The person, by the name that you pass to `encrypt`. */
  readonly subject?: string;
  /** The person, by the id that the service keeps. */
  readonly subjectId?: string;
}

const moved = 'moved to a new key version';

/** What happened with the data of a person. It can be shown to this person: it has no address, key or context. */
export interface ReportRow {
  /** When it happened, as RFC 3339 with milliseconds. */
  readonly time: string;
  /** The action of the entry. A rewrap, which shows no value to anybody, is none of a user. */
  readonly action: AuditEntry['action'] | typeof moved;
  /** The first half of the id of the user who acted, 32 hexadecimal characters. Null if the app named none. */
  readonly user: string | null;
  readonly outcome: 'done' | 'refused';
}

/** The columns of a report, in the order of its CSV file. */
const reportColumns = ['time', 'action', 'user', 'outcome'] as const satisfies (keyof ReportRow)[];

/** Returns what a report on a person shows of an entry. */
export function reportRow(entry: Pick<AuditEntry, 'created_at' | 'action' | 'metadata'>): ReportRow {
  const { user, outcome, from_version } = entry.metadata;
  return {
    time: entry.created_at,
    action: entry.action === 'key.wrap' && from_version !== undefined ? moved : entry.action,
    user: typeof user === 'string' ? user : null,
    outcome: outcome === 'refused' ? 'refused' : 'done',
  };
}

/**
 * Returns rows of `audit.report` as a CSV file (RFC 4180) with a line of titles. No cell is a formula for a spreadsheet,
 * whatever the service sent.
 */
export function reportCsv(rows: readonly ReportRow[]): string {
  const lines = [reportColumns, ...rows.map((row) => reportColumns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map((text) => csvCell(text)).join(',')}\r\n`).join('');
}

/** A cell of a CSV file. An empty text is `""`, unlike null. `isExact` leaves a text as it is that a spreadsheet takes for a formula. */
export function csvCell(value: unknown, isExact = false): string {
  const isFormula = !isExact && typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(value);
  const plain = isFormula ? `'${value}` : String(value);
  if (value === null) return '';
  return value === '' || /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export const reportRules: OptionRules<ReportOptions> = {
  order: /* @__PURE__ */ oneOf('newest', 'oldest'),
  pageSize: 'positiveInteger',
  signal: 'signal',
};
