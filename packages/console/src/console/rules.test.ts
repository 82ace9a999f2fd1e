import { type AuditEntry, verifyLog } from '@eaas/audit';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { permissions } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { stateOf } from './api-key-state.ts';
import { asLines, filterOf, isFiltered, noFilter as none, offsetOf, otherKey } from './audit-filter.ts';
import { readAll } from '../parts/download.tsx';
import { lastMonths, type Month, monthName, sinceFirstUse } from './months.ts';
import { permissionsColumn } from './records-page.tsx';
import { oldVersionsInUse } from './old-versions.ts';
import { rotationOptionsWith, rotationText } from './rotation.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const day = 86_400_000;
const daysAgo = (days: number): string => new Date(now - days * day).toISOString();

test.each([
  [{ revoked_at: daysAgo(1), expires_at: null }, 'Revoked'],
  [{ revoked_at: null, expires_at: null }, 'Valid'],
  [{ revoked_at: null, expires_at: daysAgo(-8) }, 'Valid'],
  [{ revoked_at: null, expires_at: daysAgo(-6) }, 'Expires soon'],
  [{ revoked_at: null, expires_at: daysAgo(0) }, 'Expired'],
])('the state of an API key with %o is shown as "%s"', (apiKey, text) => {
  expect(stateOf(apiKey, now).text).toBe(text);
});

test('an old key version counts as in use if an unwrap used it in the last 30 days', () => {
  const versions = [
    { key_version: 4, last_unwrap_at: daysAgo(1) },
    { key_version: 3, last_unwrap_at: daysAgo(29) },
    { key_version: 2, last_unwrap_at: daysAgo(31) },
    { key_version: 1, last_unwrap_at: null },
  ];
  expect(oldVersionsInUse({ key_version: 4, versions }, now)).toEqual([3]);
});

test('the audit filter omits empty fields, and ends at the end of the chosen minute', () => {
  const texts = { ...none, action: 'key.wrap', to: '2026-11-20T12:00' };
  const end = new Date(new Date('2026-11-20T12:00').getTime() + 59_999).toISOString();
  expect(filterOf(texts)).toEqual({ action: 'key.wrap', date_to: end });
  expect(isFiltered(texts)).toBe(true);
  expect(filterOf(none)).toEqual({});
  const month = { date_from: '2026-02-01T00:00:00.000Z', date_to: '2026-02-28T23:59:59.999Z' };
  expect(filterOf({ ...none, month: '2026-02' })).toEqual(month);
});

test('after the choice of "Another key…", the audit filter uses only a complete key id', () => {
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const texts = { ...none, key: otherKey, otherKeyId: id.slice(0, -1) };
  expect(filterOf(texts)).toEqual({});
  expect(isFiltered(texts)).toBe(false);
  expect(filterOf({ ...texts, otherKeyId: ` ${id} ` })).toEqual({ key_id: id });
});

test('the audit filter uses only whole ids of people, and halves of them', () => {
  const [half, whole] = ['a1'.repeat(16), 'b2'.repeat(32)];
  const texts = { ...none, subject: ` ${half} `, user: whole };
  expect(filterOf(texts)).toEqual({ subject_id: half, user_id: whole });
  expect(filterOf({ ...none, subject: 'patient-42', user: half.slice(1) })).toEqual({});
});

test('the audit filter has the chosen actor, and of another one only a complete id', () => {
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
  expect(filterOf({ ...none, actor: 'operator' })).toEqual({ actor: 'operator' });
  const other = { ...none, actor: otherKey, otherActorId: ` ${id} ` };
  expect([filterOf(other), filterOf({ ...other, otherActorId: 'web' })]).toEqual([{ actor: id }, {}]);
});

test('the audit page for one entry begins a few rows before the entry', () => {
  expect(offsetOf(612, 10_000)).toBe(9_383);
  expect(offsetOf(9_998, 10_000)).toBe(0);
});

test('the rotation options include the current interval of the key', () => {
  expect(rotationOptionsWith(7).at(-1)).toEqual(['7', 'Every 7 days']);
  expect(rotationOptionsWith(90)).toHaveLength(4);
  expect(rotationText(undefined)).toBe('By hand only');
});

test('the list of the last months ends with the current month', () => {
  expect(lastMonths(3, new Date('2026-01-31T23:00:00Z'))).toEqual(['2025-11', '2025-12', '2026-01']);
  expect(monthName('2026-01')).toBe('January 2026');
});

test('an exported audit log has every entry, oldest first, with one JSON object per line', async () => {
  const service = createTestService();
  for (let each = 0; each < 230; each++) await service.createKey(`key ${each}`);
  const counts: number[] = [];
  const { audit } = new EaasClient({ ...service });
  const listed = audit.list({ action: 'key.create' }, { order: 'oldest' });
  const file = asLines(await readAll(listed, (count) => counts.push(count)));
  const entries = Array.from(file.trimEnd().split('\n'), (line) => JSON.parse(line) as AuditEntry);
  expect(await verifyLog(entries, { from: entries[0]?.id })).toMatchObject({ ok: true });
  expect(entries).toHaveLength(230);
  expect(counts).toEqual([0, 100, 200]);
});

test('the usage begins with the first month in which something was used', () => {
  const used = (...counts: number[]) => counts.map((decrypt) => ({ operations: { decrypt } }) as Month);
  expect(sinceFirstUse(used(0, 0, 3, 0, 5, 0))).toEqual(used(3, 0, 5, 0));
  expect(sinceFirstUse(used(1, 0))).toEqual(used(1, 0));
});

test('all permissions are one word, as on the command line, and one less are named', () => {
  const shown = (has: readonly string[]) => permissionsColumn('').cell({ permissions: has } as never);
  expect(shown(permissions)).toMatchObject({ props: { children: 'all' } });
  expect(shown(permissions.slice(1))).toMatchObject({ props: { children: permissions.slice(1).join(', ') } });
});
