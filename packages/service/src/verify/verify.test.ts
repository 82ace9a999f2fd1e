import { pae } from '@eaas/protocol';
import { chainHash } from '@eaas/protocol/audit';
import { entryParts, LogHistory } from '@eaas/protocol/internal-log';
import { formatTimestamp, type Input, type Output, type Route } from '@eaas/protocol/wire';
import { newIssuer } from '@eaas/test-kit/calls';
import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { MemoryTenant } from '@eaas/local/internal';
import { openTenant } from '../../test/open-tenant.ts';
import { openTenantSecrets } from '../crypto/tenant-secrets.ts';
import { blocks } from '../ledger/blocks.ts';
import { withMac } from '../ledger/row-macs.ts';
import type { Stored } from '../ledger/store.ts';
import { put, type Ref, refTo, type Table } from '../ledger/table.ts';
import {
  type AnchorRow,
  anchors,
  apiKeys,
  entries,
  type EntryRow,
  keys,
  keyVersions,
  type KeyVersionRow,
  type TenantRow,
  tenants,
} from '../ledger/tables.ts';
import { run, settle } from '../operate.ts';
import { insider } from '../operation.ts';
import { changeTenant } from '../operations/tenants.ts';
import { issuers as signIns } from '../plugins/issuers/index.ts';
import { issuers } from '../plugins/issuers/table.ts';
import { people } from '../plugins/people/index.ts';
import { subjects } from '../plugins/people/subjects.ts';
import { newestHistory, wholeHistory } from './history.ts';
import { rowsOfToday } from './today.ts';
import { type VerifyOptions, verifyTenant } from './verify.ts';

type Values = Record<string, unknown>;

const hour = 3_600_000;
const first = Date.parse('2026-03-01T00:00:00Z');
let time = first;
const plugins = () => [people(), signIns({ verify: async () => true, keyHostFault: () => undefined })];
const { store, roots, tenantId, service, operator, start, call, callOn } = await openTenant(
  { now: () => time },
  plugins,
);

const { key_id } = await call('POST /v1/keys', { name: 'key' });
const { key_id: another } = await call('POST /v1/keys', { name: 'another' });
const { api_key_id } = await call('POST /v1/api-keys', { name: 'api key', permissions: ['encrypt'] });
const dek = randomBytes(32).toString('base64');
for (const subject of ['alive', 'erased']) await call('POST /v1/keys/:key_id/wrap', { key_id, dek, subject });
const over = await call('POST /v1/api-keys', { name: 'over', permissions: ['encrypt'] });
const { issuer_id } = await call('POST /v1/issuers', newIssuer(key_id) as Input<'POST /v1/issuers'>);
const old = kept();
const { subject_id } = await call('POST /v1/subjects/erase', { subject: 'erased' });
await call('DELETE /v1/api-keys/:api_key_id', { api_key_id: over.api_key_id });
await call('DELETE /v1/issuers/:issuer_id', { issuer_id });
const earlier = kept();
await call('POST /v1/keys/:key_id/disable', { key_id });
const now = kept();
const lastId = now.head.id;

function kept(): MemoryTenant {
  const tenant = store.tenants.get(tenantId);
  if (!tenant) throw new Error('the tenant must exist');
  const tables = Array.from(tenant.tables, ([name, rows]) => [name, new Map(rows)] as const);
  return { ...tenant, tables: new Map(tables) };
}

let tenant: MemoryTenant;
beforeEach(() => {
  time = first;
  restore();
});

function restore(): void {
  tenant = { ...now, tables: new Map(Array.from(now.tables, ([name, rows]) => [name, new Map(rows)])) };
  store.tenants.set(tenantId, tenant);
}

const verify = (options?: VerifyOptions) => verifyTenant(service, tenantId, options);
const reasons = async () => (await verify()).errors.map(({ reason }) => reason);
const found = async () => (await verify()).errors.map(({ id, reason }) => `${id} ${reason}`);

function rowsOf({ name }: { readonly name: string }): Map<Ref, Stored> {
  const rows = tenant.tables.get(name);
  if (!rows) throw new Error(`the table ${name} must have rows`);
  return rows;
}

function entryAt(id: number): EntryRow {
  const row = rowsOf(entries).get(`audit_entries ${id}`)?.row;
  if (!row) throw new Error(`there must be an entry ${id}`);
  return row as EntryRow;
}

function change(
  table: { readonly name: string },
  ref: Ref,
  changes: Values,
  newest_rev?: number | null,
): void {
  const stored = rowsOf(table).get(ref);
  if (!stored) throw new Error(`there must be a row ${ref}`);
  const record = newest_rev === undefined ? stored.newest_rev : newest_rev;
  rowsOf(table).set(ref, { row: { ...stored.row, ...changes }, newest_rev: record });
}

function purgeThrough(last: number): void {
  const { hash } = entryAt(last);
  const secrets = openTenantSecrets(roots, rowsOf(tenants).get(`tenants ${tenantId}`)?.row as TenantRow);
  const row = withMac(secrets, anchors, { tenant_id: tenantId, id: last, hash });
  for (let id = 1; id <= last; id++) rowsOf(entries).delete(`audit_entries ${id}`);
  store.set(tenantId, put(anchors, row as AnchorRow));
}

const forgeries = [
  null,
  0,
  7,
  1e300,
  'x',
  '',
  true,
  new Uint8Array(),
  new Uint8Array(32),
  ['x'],
  [['x']],
  {},
];
let nth = 0;

/** What an attacker might put in a column: each time two other values. */
function alternatives(value: unknown): readonly unknown[] {
  const others = forgeries.filter((other) => JSON.stringify(other) !== JSON.stringify(value));
  nth += 2;
  return [others[nth % others.length], others[(nth + 1) % others.length]];
}

/** The same with values of other types whose bytes are those of a text or a list. */
function forged(value: unknown): readonly unknown[] {
  const bytes = Buffer.from(Array.isArray(value) ? pae(...(value as string[])) : String(value));
  const same = Array.isArray(value) ? [bytes, bytes.toString()] : typeof value === 'string' ? [bytes] : [];
  return [...alternatives(value), ...same];
}

test('a tenant with whom nobody has tampered is valid', async () => {
  expect(await verify()).toMatchObject({
    valid: true,
    complete: true,
    checked: lastId,
    rows_checked: true,
    head: { id: lastId },
    errors: [],
    error_count: 0,
  });
});

const tables = [tenants, keys, keyVersions, apiKeys, subjects, issuers] as unknown as Table<never>[];
test('each table of the service is one of those whose rows these tests change', () => {
  // Uses and tallies are counted aside.
  const others = ['api_key_uses', 'audit_anchors', 'audit_entries', 'tallies'];
  expect(new Set(service.tables.keys())).toEqual(new Set([...tables.map(({ name }) => name), ...others]));
});

describe.each(tables.map((table) => [table.name, table] as const))('%s', (_, plain) => {
  const table = service.tables.get(plain.name) ?? plain;

  test('a changed column of a row is found, and the row is named if it has a MAC', async () => {
    for (const [ref, { row }] of kept().tables.get(table.name) ?? []) {
      for (const column of [...table.columns, ...(table.record ? ['mac'] : [])]) {
        for (const value of forged((row as Values)[column])) {
          change(table, ref, { [column]: value });
          const { valid, errors } = await verify();
          const named = new RegExp(`^${table.name.slice(0, -1)}_(changed|put_back): `);
          const expected = table.record ? named : /^(key_version_changed|rows_differ)/;
          expect({ ref, column, value, valid, reason: errors[0]?.reason }).toMatchObject({
            valid: false,
            reason: expect.stringMatching(expected),
          });
          restore();
        }
      }
    }
  });

  test('a removed row is found', async () => {
    for (const ref of rowsOf(table).keys()) {
      rowsOf(table).delete(ref);
      const expected = table.name === 'tenants' ? `null tenant_missing: ${tenantId}` : 'null rows_differ';
      expect(await found()).toEqual([expected]);
      restore();
    }
  });

  test('an inserted copy of a row is found', async () => {
    const [stored] = rowsOf(table).values();
    rowsOf(table).set(`${table.name} copy`, stored as Stored);
    expect(await found()).toEqual(['null rows_differ']);
  });
});

test.each([
  ['an erased person', subjects, 'subject', subject_id.slice(0, 32)],
  ['a revoked API key', apiKeys, 'api_key', over.api_key_id],
  ['a revoked issuer', issuers, 'issuer', issuer_id],
])('%s that was put back is named', async (_, { name }, what, id) => {
  const refs = [...rowsOf({ name }).keys()].filter((ref) => {
    const [before, after] = [old.tables.get(name)?.get(ref), rowsOf({ name }).get(ref)];
    return JSON.stringify(before) !== JSON.stringify(after);
  });
  expect(refs).toHaveLength(1);
  for (const ref of refs) change({ name }, ref, old.tables.get(name)?.get(ref)?.row as Values);
  expect(await reasons()).toEqual([`${what}_put_back: ${id}`, 'rows_differ']);
});

describe('a key that was put back', () => {
  const ref = `keys ${key_id}` as const;
  const before = earlier.tables.get('keys')?.get(ref);

  test('is named by the record of its last change', async () => {
    change(keys, ref, before?.row as Values);
    expect(await found()).toEqual([`${lastId} key_put_back: ${key_id}`, 'null rows_differ']);
  });

  test('is found without that record', async () => {
    change(keys, ref, before?.row as Values, before?.newest_rev);
    expect(await found()).toEqual(['null rows_differ']);
  });

  test('is found beside a changed entry, and whatever entries are read', async () => {
    change(keys, ref, before?.row as Values, before?.newest_rev);
    change(entries, 'audit_entries 3', { actor: 'nobody' });
    expect(await found()).toEqual(['3 entry_changed', 'null rows_differ']);
    const { errors } = await verify({ from_id: 4 });
    expect(errors).toEqual([{ id: null, reason: 'rows_differ' }]);
  });

  test('is found with its head and its entries', async () => {
    rowsOf(keys).set(ref, before as Stored);
    tenant.head = earlier.head;
    expect(await found()).toEqual([`${lastId} entry_unexpected`]);
  });
});

describe('the ends', () => {
  test('a changed column of the head is found, and never throws', async () => {
    for (const [column, value] of Object.entries(now.head)) {
      if (column === 'tenant_id') continue;
      for (const other of forged(value)) {
        tenant.head = { ...now.head, [column]: other };
        const { valid, errors } = await verify();
        expect({ column, other, valid, reason: errors[0]?.reason }).toMatchObject({
          valid: false,
          reason: 'head_changed',
        });
      }
    }
  });

  test('a forged purge is found', async () => {
    const { hash, mac } = entryAt(2);
    for (const id of [1, 2]) rowsOf(entries).delete(`audit_entries ${id}`);
    store.set(tenantId, put(anchors, { tenant_id: tenantId, id: 2, hash, mac }));
    expect(await found()).toEqual(['2 purge_anchor_changed']);
  });

  test('what a purge left is valid, until purged entries are put back', async () => {
    const first = rowsOf(entries).get('audit_entries 1') as Stored;
    const { hash } = entryAt(2);
    purgeThrough(2);
    expect(await verify()).toMatchObject({ valid: true, purged_through: { id: 2 }, first_id: 3 });
    expect(await verify({ known: { id: 2, hash } })).toMatchObject({ errors: [] });
    const other = { id: 2, hash: new Uint8Array(32) };
    expect((await verify({ known: other })).errors).toEqual([{ id: 2, reason: 'checkpoint_mismatch' }]);
    rowsOf(entries).set('audit_entries 1', first);
    expect(await found()).toEqual(['1 entry_unexpected']);
  });

  test('entries that a purge deletes meanwhile are not missed, however many steps it takes', async () => {
    for (let wraps = 0; wraps < 50; wraps++) {
      await call('POST /v1/keys/:key_id/wrap', { key_id: another, dek });
    }
    const original = store.read.bind(store);
    let steps = 0;
    store.read = (id, needs, ...more) => {
      const isPage = needs.some((need) => typeof need !== 'string' && (need.limit ?? 0) > 1);
      if (isPage && steps < 50) purgeThrough(++steps);
      return original(id, needs, ...more);
    };
    const verification = await verify();
    store.read = original;
    service.ledger.forget(tenantId);
    expect(verification).toMatchObject({ valid: true, purged_through: { id: 50 }, first_id: 51 });
  });

  test('a second row of the head is found', async () => {
    const twice = ['1', '2'].map(
      (nth) => [`audit_heads ${nth}`, { row: now.head, newest_rev: null }] as const,
    );
    tenant.tables.set('audit_heads', new Map(twice));
    expect(await found()).toEqual(['null rows_differ']);
  });

  test('a head far ahead is found soon', async () => {
    tenant.head = { ...now.head, id: Number.MAX_SAFE_INTEGER };
    expect(await reasons()).toEqual(
      expect.arrayContaining(['head_changed', 'head_mismatch', 'entry_missing']),
    );
  });
});

describe('entries', () => {
  test('a changed column is found', async () => {
    for (const column of entries.columns) {
      if (column === 'id') continue;
      for (const [ref, { row }] of kept().tables.get(entries.name) ?? []) {
        for (const value of forged((row as unknown as Values)[column])) {
          change(entries, ref, { [column]: value });
          const id = Number(ref.split(' ')[1]);
          const { errors } = await verify();
          const isOfEntry = ({ reason }: { reason: string }) => /^entry_(changed|mac_invalid)$/.test(reason);
          // What follows an entry holds its hash, and times may go back. Any other change is one finding.
          const isWider = column === 'hash' || column === 'created_at';
          const others = isWider ? errors.filter(isOfEntry).slice(0, 1) : errors;
          expect({ column, value, others }).toEqual({
            column,
            value,
            others: [{ id, reason: expect.stringMatching(/^entry_/) }],
          });
          restore();
        }
      }
    }
  });

  test('a removed entry is found, whatever the next one says', async () => {
    for (const id of [1, 3, lastId]) {
      rowsOf(entries).delete(`audit_entries ${id}`);
      if (id < lastId) change(entries, `audit_entries ${id + 1}`, { action: 'key.enable', metadata: '{' });
      expect(await found()).toContain(`${id} entry_missing`);
      restore();
    }
  });

  test('one that a list leaves out, because its block was removed, is found by each call that reads it', async () => {
    const ids = Array.from({ length: lastId }, (_, nth) => nth + 1);
    const wraps = ids.filter((id) => entryAt(id).action === 'key.wrap');
    const needing = { 'by operator': ids, 'key.wrap': wraps, 'key.wrap by operator': wraps };
    expect([...rowsOf(blocks).keys()].toSorted()).toEqual(
      Object.keys(needing).map((of) => `audit_blocks 0 ${of}`),
    );
    for (const [of, expected] of Object.entries(needing)) {
      rowsOf(blocks).delete(`audit_blocks 0 ${of}`);
      const each = await Promise.all(ids.map((id) => verify({ from_id: id, to_id: id })));
      const errors = each.flatMap((one) => one.errors);
      expect(errors).toEqual(expected.map((id) => ({ id, reason: 'blocks_differ' })));
      restore();
    }
  });

  const lay = (id: number, row = entryAt(3)) =>
    void rowsOf(entries).set(`audit_entries laid ${id}`, { row: { ...row, id } as object, newest_rev: null });
  const attacks: Record<string, [attack: () => void, ...findings: string[]]> = {
    'the end was removed': [
      () => void [lastId - 1, lastId].map((id) => rowsOf(entries).delete(`audit_entries ${id}`)),
      `${lastId} head_mismatch`,
      `${lastId} entry_missing`,
    ],
    'a copy was inserted after the head': [() => lay(lastId + 1), `${lastId + 1} entry_unexpected`],
    'a copy was inserted before the first entry': [() => lay(0), '0 entry_unexpected'],
    'a copy was inserted below zero': [() => lay(-5), 'null entry_unexpected'],
    'an entry is there twice': [() => lay(3), '3 entry_changed'],
    'the order was reversed': [
      () => {
        for (const [ref, { row }] of rowsOf(entries)) {
          change(entries, ref, { id: lastId + 1 - (row as EntryRow).id });
        }
      },
      '1 entry_changed',
      `${lastId} entry_changed`,
    ],
    'the salts of two entries were exchanged': [
      () => {
        const [one, other] = [entryAt(3).salt, entryAt(4).salt];
        change(entries, 'audit_entries 3', { salt: other });
        change(entries, 'audit_entries 4', { salt: one });
      },
      '3 entry_changed',
      '4 entry_changed',
    ],
    'an entry has the salt of another': [
      () => change(entries, 'audit_entries 3', { salt: entryAt(4).salt }),
      '3 entry_changed',
    ],
    'an entry was changed, and all hashes that follow were computed again': [
      () => {
        change(entries, 'audit_entries 3', { actor: 'nobody' });
        let { hash } = entryAt(2);
        for (let id = 3; id <= lastId; id++) {
          const row = entryAt(id);
          const digest = createHash('sha256')
            .update(pae(...entryParts(row)))
            .digest();
          hash = chainHash(hash, digest);
          change(entries, `audit_entries ${id}`, { hash });
        }
        tenant.head = { ...now.head, hash };
      },
      'null head_changed',
      '3 entry_mac_invalid',
      `${lastId} entry_mac_invalid`,
    ],
  };

  test.each(Object.entries(attacks))('it is found that %s', async (_, [attack, ...findings]) => {
    attack();
    expect(await found()).toEqual(expect.arrayContaining(findings));
  });

  test('an entry more than a minute in the future is found', async () => {
    time = first - 61_000;
    expect(await found()).toContain(`${lastId} entry_in_future`);
  });
});

describe('an entry that contradicts what the log said before', () => {
  type Ask = <R extends Route>(route: R, input: Input<R>, actor?: string) => Promise<Output<R>>;
  /** A replica that knows nothing yet. */
  const replica = (): Ask => {
    const fresh = start();
    return async (route, input, actor = 'operator') =>
      (await run(fresh, { ...insider(tenantId, 'operator'), actor }, route, input)).answer;
  };
  const lay = (rows: MemoryTenant) => {
    for (const [name, those] of rows.tables) {
      if (![entries.name, blocks.name, 'tallies'].includes(name)) tenant.tables.set(name, new Map(those));
    }
  };
  const wrap = (ask: Ask, fields: object = {}, actor?: string) =>
    ask('POST /v1/keys/:key_id/wrap', { key_id: another, dek, ...fields }, actor);
  const patch = (ask: Ask, fields: object, actor?: string) =>
    ask('PATCH /v1/api-keys/:api_key_id', { api_key_id, ...fields }, actor);

  const contradictions: Record<string, [end: (ask: Ask) => Promise<unknown>, use: (ask: Ask) => unknown]> = {
    'of a revoked API key': [
      (ask) => ask('DELETE /v1/api-keys/:api_key_id', { api_key_id }),
      (ask) => wrap(ask, {}, api_key_id),
    ],
    'for an erased person': [
      (ask) => ask('POST /v1/subjects/erase', { subject: 'alive' }),
      (ask) => wrap(ask, { subject: 'alive' }),
    ],
    'under a disabled key': [
      (ask) => ask('POST /v1/keys/:key_id/disable', { key_id: another }),
      (ask) => wrap(ask),
    ],
    'of a closed version': [
      (ask) => ask('PUT /v1/keys/:key_id/min-version', { key_id: another, key_version: 2 }),
      (ask) => ask('POST /v1/keys/:key_id/unwrap', { key_id: another, wrapped_key }),
    ],
    'without the permission': [
      (ask) => patch(ask, { permissions: ['keys.manage'] }),
      (ask) => wrap(ask, {}, api_key_id),
    ],
    'with a key out of reach': [
      (ask) => patch(ask, { key_ids: [key_id] }),
      (ask) => wrap(ask, {}, api_key_id),
    ],
    'after the expiry': [
      async (ask) => {
        await patch(ask, { expires_at: formatTimestamp(first + hour / 2) });
        time += hour;
      },
      (ask) => wrap(ask, {}, api_key_id),
    ],
    'of server mode, which the tenant no longer has': [
      () => settle(start(), operator, changeTenant({ envelope_only: true })),
      (ask) => ask('POST /v1/encrypt', { key_id: another, plaintext: 'x' }, api_key_id),
    ],
  };
  let wrapped_key = '';

  test.each(Object.entries(contradictions))(
    'is found %s, wherever a call begins, and after a purge',
    async (_, [end, use]) => {
      ({ wrapped_key } = await wrap(replica()));
      await replica()('POST /v1/keys/:key_id/rotate', { key_id: another });
      const before = kept();
      await end(replica());
      const { id: said } = tenant.head;
      const after = kept();
      // Rows of before stand there for a moment.
      lay(before);
      await use(replica());
      lay(after);
      const errors = [{ id: said + 1, reason: 'contradiction' }];
      for (const from_id of [1, said, said + 1]) expect(await verify({ from_id })).toMatchObject({ errors });
      change(entries, `audit_entries ${said}`, { actor: 'nobody' });
      expect(await found()).toEqual([`${said} entry_changed`]);
      change(entries, `audit_entries ${said}`, { actor: 'operator' });
      purgeThrough(said);
      expect(await verify()).toMatchObject({ errors, valid: false, rows_checked: true });
    },
  );

  /** Verifies by a store that shows older rows at so many looks, and the right ones at all later ones. */
  const deceived = (from_id: number, before: MemoryTenant, looks = Infinity) => {
    const after = kept();
    const read: typeof store.read = async (tenantId, needs) => {
      const isLook = needs.includes(refTo(tenants, tenantId));
      lay(isLook && looks-- > 0 ? before : after);
      return store.read(tenantId, needs).finally(() => lay(after));
    };
    return verifyTenant(start({ store: { ...store, read } }), tenantId, { from_id });
  };

  test.each([
    ['of a revoked API key', 'api_key'],
    ['for an erased person', 'subject'],
  ])('%s is not hidden by rows that stand there only while entries are judged', async (name, kind) => {
    const [end, use] = contradictions[name] ?? [];
    const before = kept();
    await end?.(replica());
    const after = kept();
    lay(before);
    await use?.(replica());
    lay(after);
    const { id } = after.head;
    const reason = expect.stringMatching(`^${kind}_put_back: `);
    expect((await deceived(id + 1, before)).errors).toContainEqual({ id, reason });
  });

  test('by narrowed rights is not hidden by rows that stand there only for its page', async () => {
    const ask = replica();
    const { key_id: allowed } = await ask('POST /v1/keys', { name: 'allowed' });
    const before = kept();
    await patch(ask, { key_ids: [allowed] });
    const after = kept();
    lay(before);
    await wrap(replica(), {}, api_key_id);
    lay(after);
    await Promise.all(Array.from({ length: 500 }, () => wrap(ask)));
    await wrap(ask, { key_id: allowed }, api_key_id);
    const { id } = after.head;
    expect(await deceived(id + 1, before, 2)).toMatchObject({
      errors: [{ id, reason: `api_key_put_back: ${api_key_id}` }],
    });
    expect(await verify({ from_id: id + 1 })).toMatchObject({
      errors: [{ id: id + 1, reason: 'contradiction' }],
    });
  });

  test('is found of whatever had ended for good, however many people were erased since', async () => {
    const ask = replica();
    const { key_id: doomed } = await ask('POST /v1/keys', { name: 'doomed' });
    await wrap(ask, { subject: 'gone' });
    const before = kept();
    await ask('POST /v1/keys/:key_id/disable', { key_id: doomed });
    await ask('DELETE /v1/keys/:key_id', { key_id: doomed, grace_days: 0 });
    await ask('POST /v1/subjects/erase', { subject: 'gone' });
    await ask('DELETE /v1/api-keys/:api_key_id', { api_key_id });
    const erase = (_: unknown, nth: number) =>
      ask('POST /v1/subjects/erase', { subject: `${nth}`, create: true });
    await Promise.all(Array.from({ length: 1_001 }, erase));
    const { id } = tenant.head;
    const after = kept();
    lay(before);
    await wrap(replica(), {}, api_key_id);
    await wrap(replica(), { subject: 'gone' });
    await wrap(replica(), { key_id: doomed });
    lay(after);
    const errors = [1, 2, 3].map((nth) => ({ id: id + nth, reason: 'contradiction' }));
    for (const from_id of [1, id - 600, id + 1]) expect(await verify({ from_id })).toMatchObject({ errors });
    expect(await verify({ from_id: id + 1, mostRows: 0 })).toMatchObject({ errors, valid: false });
  });

  test('is never one after an end of what was said, wherever a call begins', async () => {
    const ask = replica();
    for (const verb of ['disable', 'enable'] as const) {
      await ask(`POST /v1/keys/:key_id/${verb}`, { key_id: another });
    }
    await wrap(ask);
    await wrap(ask, {}, api_key_id);
    const soon = formatTimestamp(first + hour / 2);
    await patch(ask, { permissions: ['keys.manage'], key_ids: [key_id], expires_at: soon });
    await patch(ask, { permissions: ['api_keys.manage'], key_ids: null, expires_at: null });
    await patch(ask, { permissions: ['encrypt'] }, api_key_id);
    time += hour;
    await wrap(ask, {}, api_key_id);
    await patch(ask, { permissions: ['keys.manage'], key_ids: [key_id] });
    const { id } = tenant.head;
    for (let from_id = 1; from_id <= id; from_id++) {
      expect(await verify({ from_id })).toMatchObject({ valid: true });
    }
    for (let last = 1; last < id; last++) {
      purgeThrough(last);
      expect(await verify()).toMatchObject({ valid: true });
    }
  });

  test('is never one if more was said than a call reads', async () => {
    const { key_id: busy } = await replica()('POST /v1/keys', { name: 'busy' });
    for (const verb of ['disable', 'enable'] as const) {
      for (const each of verb === 'disable' ? [busy, another] : [another, busy]) {
        await replica()(`POST /v1/keys/:key_id/${verb}`, { key_id: each });
      }
    }
    const { facts } = await newestHistory(service, tenantId, { from: 1, to: tenant.head.id }, 1);
    expect(facts.filter(([about]) => about.includes(another))).toEqual([]);
  });
});

/** Calls a server that believes nothing yet. */
const freshCall = () => callOn(start());

test('all that a log said is read in pages, in its order', async () => {
  const ask = freshCall();
  const { key_id: busy } = await ask('POST /v1/keys', { name: 'busy' });
  for (let nth = 0; nth < 1_001; nth++) {
    await ask('POST /v1/keys/:key_id/disable', { key_id: busy });
    await ask('POST /v1/keys/:key_id/enable', { key_id: busy });
    if (nth === 500) await ask('POST /v1/keys/:key_id/disable', { key_id: another });
  }
  const range = { from: 1, to: tenant.head.id };
  const whole = await wholeHistory(service, tenantId, range);
  const newest = await newestHistory(service, tenantId, range);
  const namesOf = ({ facts }: typeof whole) => facts.map(([about, is]) => `${about} ${is}`);
  expect([whole.since, whole.hasForgotten, newest.hasForgotten]).toEqual([1, false, true]);
  expect(namesOf(whole)).toContain(`key ${another} disabled`);
  expect(namesOf(whole)).toContain(`key ${key_id} disabled`);
  expect(namesOf(whole).filter((name) => name.includes(busy))).toEqual([]);
  expect(namesOf(newest)).not.toContain(`key ${key_id} disabled`);
});

test('whoever verifies learns that the log says more than is kept', async () => {
  const ask = freshCall();
  let forgotten = 0;
  const options = { from_id: lastId + 1, onForgotten: () => forgotten++ };
  await verify(options);
  expect(forgotten).toBe(0);
  for (let nth = 0; nth < 1_000; nth++) {
    await ask('POST /v1/keys/:key_id/disable', { key_id: another });
    await ask('POST /v1/keys/:key_id/enable', { key_id: another });
  }
  const from_id = tenant.head.id + 1;
  expect(await verify({ ...options, from_id })).toMatchObject({ valid: true });
  expect(forgotten).toBe(1);
  await verify({ ...options, from_id, allHistory: true });
  expect(forgotten).toBe(1);
});

test('a row that was another one when it was looked up is found, however many rows were looked up after it', async () => {
  const tenantRow = rowsOf(tenants).get(refTo(tenants, tenantId))?.row;
  const secrets = openTenantSecrets(roots, tenantRow as TenantRow);
  const mostRows = 1;
  const today = rowsOfToday(service, tenantId, secrets, mostRows);
  const ref = refTo(apiKeys, over.api_key_id);
  const truth = rowsOf(apiKeys).get(ref);
  const before = old.tables.get(apiKeys.name)?.get(ref);
  if (!truth || !before) throw new Error('expected the API key');

  const history = new LogHistory({ since: 1 });
  const entryOf = (actor: string): EntryRow => ({ ...entryAt(lastId), actor });
  rowsOf(apiKeys).set(ref, before);
  await today.look([entryOf(over.api_key_id)], history, []);
  rowsOf(apiKeys).set(ref, truth);
  for (let nth = 0; nth < 5; nth++) await today.look([entryOf(api_key_id)], history, []);
  expect(today.wasAnother(apiKeys, truth.row, lastId)).toBe(true);
  expect(today.hasForgotten()).toBe(false);
});

test('what two keys seal opens nothing for each other, and rows in the place of another are found', async () => {
  const places = [key_id, another].map((id) => refTo(keyVersions, id, 1));
  const [first, second] = places.map((place) => rowsOf(keyVersions).get(place));
  if (!first || !second || !places[0] || !places[1]) throw new Error('expected two keys');
  const { wrapped_key } = await freshCall()('POST /v1/keys/:key_id/wrap', { key_id: another, dek });
  const sealedOf = ({ row }: Stored) => (row as KeyVersionRow).sealed;
  change(keyVersions, places[0], { sealed: sealedOf(second) });
  change(keyVersions, places[1], { sealed: sealedOf(first) });

  const unwrapping = freshCall()('POST /v1/keys/:key_id/unwrap', { key_id: another, wrapped_key });
  await expect(unwrapping).rejects.toMatchObject({ code: 'unavailable' });
  expect(await reasons()).toContain('rows_differ');
});

test('a call whose time is over says where the next one begins, which compares the rows', async () => {
  const first = await verify({ timeLeft: () => 0 });
  expect(first).toMatchObject({ valid: null, complete: false, next_id: lastId + 1, rows_checked: false });
  expect(await verify({ from_id: lastId + 1 })).toMatchObject({
    valid: true,
    rows_checked: true,
    checked: 0,
  });
});

test('a walk lets others go first', async () => {
  const pauses: string[] = [];
  const fair = { isOver: () => true, pause: async (id: string) => void pauses.push(id) };
  expect(await verifyTenant(start({ fair }), tenantId)).toMatchObject({ valid: true });
  expect(pauses).toEqual([tenantId]);
});

test('if there are more rows than a limit, nobody says that the log is valid', async () => {
  const rows = tables.reduce((sum, one) => sum + rowsOf(one).size, 0);
  expect(await verify({ mostRows: rows })).toMatchObject({ valid: true, rows_checked: true });
  const few = { mostRows: rows - 1 };
  expect(await verify(few)).toMatchObject({ valid: null, complete: true, rows_checked: false, errors: [] });
  change(entries, 'audit_entries 3', { actor: 'nobody' });
  expect(await verify(few)).toMatchObject({ valid: false, complete: true, rows_checked: false });
});

describe('a checkpoint that the tenant kept', () => {
  const checkpointOf = async () => (await call('GET /v1/audit/checkpoint', {})).checkpoint;

  test('holds while the log extends it', async () => {
    const checkpoint = await checkpointOf();
    expect(await verify({ checkpoint })).toMatchObject({
      valid: true,
      checkpoint: { id: lastId, valid: true },
    });
  });

  test('is ahead of a log that was put back, which nothing else shows, and contradicts what it has there later', async () => {
    const checkpoint = await checkpointOf();
    store.tenants.set(tenantId, { ...earlier, tables: new Map(earlier.tables) });
    expect(await verify()).toMatchObject({ valid: true });
    const finds = (reason: string) => ({
      valid: false,
      errors: [{ id: lastId, reason }],
      checkpoint: { valid: false },
    });
    expect(await verify({ checkpoint })).toMatchObject(finds('checkpoint_ahead'));
    service.ledger.forget(tenantId);
    await call('POST /v1/keys/:key_id/rotate', { key_id });
    expect(await verify({ checkpoint })).toMatchObject(finds('checkpoint_mismatch'));
    service.ledger.forget(tenantId);
  });
});
