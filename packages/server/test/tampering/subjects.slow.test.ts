import { beforeEach, describe, expect, test } from 'vitest';
import { verifyTenant } from '@eaas/service';
import { openAttacker } from '@eaas/test-kit/attacker';
import { people, populate, wrapFor } from '@eaas/test-kit/populated';
import { apiOf, dek, statusOf, testWorld } from '@eaas/test-kit/world';

const world = await testWorld('2019-03-01T00:00:00Z');
const attacker = await openAttacker(world);
const [ann, ben] = await populate(world, attacker, {
  ...people,
  async '2019'(caller, one) {
    await people['2019'](caller, one);
    await wrapFor(caller, one, 'quiet');
  },
});
const { sql } = attacker;
const api = apiOf(world.replica(), ann.token);

const subjects = ['quiet', 'erased in 2020', 'erased in 2026', 'young', 'short-lived', 'unknown'] as const;
type Subject = (typeof subjects)[number];

const shown = async ({ token }: { token: string }) => {
  const ids = subjects.map(
    async (subject) =>
      (await apiOf(world.replica(), token)('POST /v1/subjects/show', { subject })).subject_id,
  );
  return Object.fromEntries((await Promise.all(ids)).map((id, at) => [subjects[at], id])) as Record<
    Subject,
    string
  >;
};
const [ids, bens] = [await shown(ann), await shown(ben)];

/** The findings, with names in place of ids. */
async function wrong(tenantId = ann.tenantId): Promise<string[]> {
  const { valid, errors } = await verifyTenant(world.replica(), tenantId);
  expect(valid).toBe(errors.length === 0);
  return errors.map(({ reason }) =>
    subjects.reduce((text, name) => text.replace(ids[name].slice(0, 32), name), reason),
  );
}

const where = (subject: Subject) => `tenant_id = '${ann.tenantId}' and subject_id = '\\x${ids[subject]}'`;
const remove = (subject: Subject) => sql.unsafe(`delete from eaas.subjects where ${where(subject)}`);
const set = (subject: Subject, assignment: string) =>
  sql.unsafe(`update eaas.subjects set ${assignment} where ${where(subject)}`);
const forgetRecords = (subject: Subject) =>
  sql.unsafe(
    `delete from eaas.row_records where tenant_id = '${ann.tenantId}' and row_id = '${ids[subject].slice(0, 32)}'`,
  );
const use = (subject: Subject) =>
  statusOf(api('POST /v1/keys/:key_id/wrap', { key_id: ann.busy, dek, subject }));

describe.each([
  ['a whole log', 'late'],
  ['a purged log', 'now'],
] as const)('%s', (_, copy) => {
  beforeEach(() => attacker.restore(copy));

  test('has no findings as long as nobody tampers with it', async () => {
    expect(await wrong()).toEqual([]);
    expect(await wrong(ben.tenantId)).toEqual([]);
  });

  test.each(subjects)('finds that a row was removed: %s', async (subject) => {
    await remove(subject);
    expect(await wrong()).toEqual(['rows_differ']);
    expect(await wrong(ben.tenantId)).toEqual([]);
  });

  test.each(subjects)('names a row that was copied from another tenant: %s', async (subject) => {
    await remove(subject);
    await sql.unsafe(
      `insert into eaas.subjects select (jsonb_populate_record(one, '${JSON.stringify({
        tenant_id: ann.tenantId,
        subject_id: `\\x${ids[subject]}`,
      })}')).* from eaas.subjects one
       where tenant_id = '${ben.tenantId}' and subject_id = '\\x${bens[subject]}'`,
    );
    expect(await wrong()).toContain(`subject_changed: ${subject}`);
    expect(await use(subject)).toBe(503);
    expect(await wrong(ben.tenantId)).toEqual([]);
  });

  test.each(['', '00', 'aa'.repeat(32), 'ff'.repeat(40)])('names an inserted row: %s', async (id) => {
    await sql.unsafe(
      `insert into eaas.subjects select (jsonb_populate_record(one, '{"subject_id":"\\\\x${id}"}')).*
       from eaas.subjects one where ${where('young')}`,
    );
    expect(await wrong()).toEqual([`subject_changed: ${id.slice(0, 32)}`, 'rows_differ']);
  });

  test.each([
    ['erased in 2020', 'early'],
    ['erased in 2026', 'early'],
    ['erased in 2026', 'middle'],
  ] as const)('names a row from before the erasure: %s, from the copy %s', async (subject, from) => {
    await attacker.putBack(from, 'subjects', where(subject));
    expect(await wrong()).toEqual([`subject_put_back: ${subject}`, 'rows_differ']);
    expect(await use(subject)).toBe(503);
    expect(await statusOf(api('POST /v1/subjects/show', { subject }))).toBe(503);
    expect(await statusOf(api('POST /v1/subjects/erase', { subject }))).toBe(503);
    await forgetRecords(subject);
    expect(await wrong()).toEqual(['rows_differ']);
  });

  test('names a living subject that has the record of an erasure, and one whose first entry is another', async () => {
    await sql`insert into eaas.row_records values (${ann.tenantId}, ${ids.young.slice(0, 32)}, 3)`;
    expect(await wrong()).toEqual(['subject_put_back: young']);
    expect(await use('young')).toBe(503);
    await attacker.restore(copy);
    await set('young', 'created_id = created_id - 1');
    expect(await wrong()).toEqual(['subject_changed: young', 'rows_differ']);
  });

  test.each([
    ['quiet', 'erased_id = 7, erased_at = 7, erased_hash = mac, sealed = null', ['subject_changed']],
    ['young', 'sealed = null', ['subject_changed']],
    ['short-lived', 'sealed = mac', ['subject_changed']],
    ['short-lived', 'created_id = created_id + 1', ['subject_changed']],
    ['short-lived', 'erased_id = erased_id + 1', ['subject_put_back', 'subject_changed']],
    ['short-lived', 'erased_id = null', ['subject_put_back', 'subject_changed']],
  ] as const)('names %s after `set %s`', async (subject, assignment, reasons) => {
    await set(subject, assignment);
    const found = await wrong();
    for (const reason of reasons) expect(found).toContain(`${reason}: ${subject}`);
    expect(await use(subject)).toBe(503);
  });

  test('has exactly one finding after a change of an entry about a subject', async () => {
    const entries = await sql<{ id: number }[]>`select id from eaas.audit_entries
      where tenant_id = ${ann.tenantId} and metadata like '%"subject":%' order by id`;
    expect(entries.length).toBeGreaterThan(4);
    const others: unknown[] = [];
    for (const { id } of entries) {
      for (const assignment of [
        `metadata = '{}'`,
        `metadata = replace(metadata, '"subject":"', '"subject":"0')`,
        `metadata = '{"subject":"${ids.young}"}'`,
        `metadata = '{"subject":"${'9'.repeat(32)}","subject_created":true}'`,
        `action = 'subject.erase'`,
        `action = 'key.unwrap'`,
      ]) {
        const { count } = await sql.unsafe(
          `update eaas.audit_entries one set ${assignment} where tenant_id = '${ann.tenantId}' and id = ${id}
           and not ${assignment.startsWith('action') ? assignment : 'false'}`,
        );
        const found = count > 0 ? await wrong() : ['entry_changed'];
        if (String(found) !== 'entry_changed') others.push([id, assignment, found]);
        await attacker.restore(copy);
      }
    }
    expect(others).toEqual([]);
  });
});
