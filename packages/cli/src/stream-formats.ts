import { hostname } from 'node:os';
import { escapeHidden } from '@eaas/protocol/internal';
import type { ShownEntry } from '@eaas/server/internal';
import type { Notice } from './new-entries.ts';

export const formats = ['ndjson', 'syslog', 'text'] as const;
export type Format = (typeof formats)[number];

export interface NoticeRecord {
  readonly tenant_id: string;
  readonly notice: Notice['reason'];
  readonly id: number;
  readonly created_at: string;
  readonly message: string;
}

type Formatter = (record: ShownEntry | NoticeRecord) => string;

export const formatters: Readonly<Record<Format, Formatter>> = {
  ndjson: (record) => escapeHidden(JSON.stringify(record)),
  syslog: (record) => syslogLine(record, hostname()),
  text: textLine,
};

// In syslog, the facility 13 is for audit logs. The severities are 6 (informational) and 2 (critical).
const [informational, critical] = [13 * 8 + 6, 13 * 8 + 2];
// RFC 5612 reserves the enterprise number 32473 for documentation, so no vendor uses this number.
const enterprise = 32473;

export function syslogLine(record: ShownEntry | NoticeRecord, host: string): string {
  const isNotice = 'notice' in record;
  const priority = isNotice ? critical : informational;
  const messageId = isNotice ? record.notice : record.action;
  const hostName = host.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 255) || '-';
  const named = isNotice ? noticeFields(record) : entryFields(record);
  const fields = Object.entries(named).flatMap(([name, value]) =>
    value === null ? [] : [` ${name}="${String(value).replaceAll(/["\\\]]/g, '\\$&')}"`],
  );
  const data = `[${isNotice ? 'notice' : 'entry'}@${enterprise}${fields.join('')}]`;
  return `<${priority}>1 ${record.created_at} ${hostName} eaas - ${messageId} ${data} ${escapeHidden(JSON.stringify(record))}`;
}

function entryFields({ tenant_id, id, key_id, key_version, actor, ip_address, hash }: ShownEntry) {
  return { tenant_id, id, key_id, key_version, actor, ip_address, hash };
}

function noticeFields({ tenant_id, id }: NoticeRecord) {
  return { tenant_id, id };
}

function textLine(record: ShownEntry | NoticeRecord): string {
  const start = [record.created_at, record.tenant_id, `#${record.id}`];
  if ('notice' in record) return [...start, 'NOTICE', record.notice, record.message].join('  ');
  return entryLine(record, start, record.key_id, record.actor);
}

/** `key` and `actor` are the texts to show for the entry's key and actor. */
export function entryLine(
  { action, key_version, ip_address, metadata }: ShownEntry,
  start: readonly string[],
  key: string | null,
  actor: string,
): string {
  const words = [
    ...start,
    action.padEnd(14),
    key === null ? '-' : `${key}${key_version === null ? '' : ` v${key_version}`}`,
    `by ${actor}`,
    ip_address === null ? '' : `from ${ip_address}`,
    Object.keys(metadata).length > 0 ? escapeHidden(JSON.stringify(metadata)) : '',
  ];
  return words.filter((word) => word !== '').join('  ');
}
