import { hasControlCharacter } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { parseSyslog } from '@eaas/test-kit/syslog';
import { formatters, type NoticeRecord, syslogLine } from './stream-formats.ts';

const entry = {
  id: 7,
  tenant_id: '0b6c9a52-6f0e-4d5a-9a5c-2f4f1d1e7c11',
  action: 'key.unwrap',
  key_id: '5e1f6c1c-7a94-4a26-b7a5-0b6a6c2a1d11',
  key_version: 3,
  actor: 'a]c"t\\or',
  ip_address: '2001:db8::1',
  metadata: { context: { row: 'Zoë "42" ]\n\u0000' } },
  created_at: '2026-08-11T09:30:00.123Z',
  hash: 'ab'.repeat(32),
} as const;

const notice: NoticeRecord = {
  tenant_id: entry.tenant_id,
  notice: 'log_went_back',
  id: 9,
  created_at: entry.created_at,
  message: 'The log no longer contains this entry.',
};

test('an entry in the syslog format follows RFC 5424, and its text is the entry as JSON', () => {
  const parsed = parseSyslog(syslogLine(entry, 'server-1.example'));
  expect(parsed).toMatchObject({
    facility: 13,
    severity: 6,
    version: 1,
    time: entry.created_at,
    host: 'server-1.example',
    app: 'eaas',
    process: '-',
    id: 'key.unwrap',
  });
  const { tenant_id, key_id, actor, ip_address, hash } = entry;
  expect(parsed.data).toEqual({
    'entry@32473': { tenant_id, id: '7', key_id, key_version: '3', actor, ip_address, hash },
  });
  expect(JSON.parse(parsed.text)).toEqual(entry);
});

test('a null field is absent from the structured data of a syslog message', () => {
  const system = { ...entry, key_id: null, key_version: null, ip_address: null };
  const { data } = parseSyslog(syslogLine(system, 'a'));
  expect(Object.keys(data['entry@32473'] ?? {})).toEqual(['tenant_id', 'id', 'actor', 'hash']);
});

test('a notice in the syslog format has the severity critical', () => {
  const parsed = parseSyslog(syslogLine(notice, 'a'));
  expect(parsed).toMatchObject({ facility: 13, severity: 2, id: 'log_went_back' });
  expect(JSON.parse(parsed.text)).toEqual(notice);
});

test.each([
  ['', '-'],
  ['my host\n', 'myhost'],
  ['x'.repeat(300), 'x'.repeat(255)],
])('the host name %j becomes %j', (host, expected) => {
  expect(parseSyslog(syslogLine(entry, host)).host).toBe(expected);
});

test.each(['ndjson', 'syslog', 'text'] as const)('the format %s has one line for each record', (format) => {
  for (const record of [entry, notice]) {
    const line = formatters[format](record);
    expect(line).toContain(entry.tenant_id);
    expect(hasControlCharacter(line)).toBe(false);
  }
});

test('the text format escapes the control characters that JSON does not escape', () => {
  const line = formatters.text({ ...entry, metadata: { context: { row: '\u009b31m\u007f' } } });
  expect(hasControlCharacter(line)).toBe(false);
  expect(line).toContain(String.raw`\u009b31m\u007f`);
});

test('the ndjson format contains the record as the API returns it', () => {
  expect(JSON.parse(formatters.ndjson(entry))).toEqual(entry);
});

test.each([
  '<192>1 - - - - - -',
  '<14>1 2026-13-01T00:00:00Z a b c d -',
  '<14>1 2026-01-01T00:00:00Z a b c d [x y="]"]',
])('the parser of syslog in these tests refuses %s', (line) => {
  expect(() => parseSyslog(line)).toThrow(/RFC 5424|priority/);
});
