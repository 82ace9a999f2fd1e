// The operations of keys: each finds the key, judges it by a rule, and writes what the rule made of it.
// A service puts them together with others; a job settles keys that are due.
import { parseUuid } from '@eaas/protocol';
import { hashKeyPlace, versionPlace } from '@eaas/protocol/internal';
import { formatTimestamp, limits, type Output } from '@eaas/protocol/wire';
import { newMaterial } from '#platform';
import type { View } from '../ledger/decision.ts';
import {
  add,
  allOf,
  equal,
  between,
  put,
  type Query,
  refTo,
  type Where,
  type Write,
} from '../ledger/table.ts';
import {
  type KeyRow,
  keys,
  type KeyVersionRow,
  keyVersions,
  tallies,
  type TallyRow,
} from '../ledger/tables.ts';
import { unlessRefused } from '../operate.ts';
import type { Caller, Operations, Part } from '../operation.ts';
import { type Holder, whoActs } from '../rules/authorize.ts';
import { type Change, keyDraft } from '../rules/draft.ts';
import * as rules from '../rules/key-rules.ts';
import { Refusal } from '../rules/refusal.ts';
import type { Service } from '../service.ts';
import { exportKey } from './export.ts';
import { keyNeeds, keyRecord, listing, requireKey } from './records.ts';

type KeyRecord = Output<'POST /v1/keys'>;
type Named = { readonly key_id: string };

/** Of the keys with a name, one at most is not destroyed. */
export const keysNamed = (name: string): Query<KeyRow> => ({
  table: keys,
  where: [...equal({ name }), ['status', '<>', 'destroyed']],
});

export const keyOperations = {
  'POST /v1/keys'({ fields }, _, input) {
    const key_id = crypto.randomUUID();
    const named = keysNamed(input.name);
    return {
      needs: () => [allOf(named)],
      judge(view, holder) {
        const detail = 'A key already has this name: choose another name, or use the key.';
        if (view.all(named).rows.length > 0) throw new Refusal('name_taken', detail);
        const { tenant_id } = view.tenant;
        const sealed_hash_key = newMaterial(view.secrets.sealing, hashKeyPlace(tenant_id, key_id));
        const { row, draft } = rules.newKey(
          input,
          view,
          holder,
          { tenant_id, key_id, sealed_hash_key },
          fields,
        );
        const writes = [add(keys, row), newVersion(view, row)];
        return { entries: [draft], writes, answer: keyRecord(row, fields) };
      },
    };
  },
  'GET /v1/keys': ({ fields }, _, { status, name, ...page }) => {
    const whereFor = (holder: Holder | null): Where[] => [
      ...(holder?.key_ids ? [['key_id', 'in', holder.key_ids] as const] : []),
      ...equal({ status, name }),
    ];
    return listing(keys, whereFor, page, (rows, about) => ({
      keys: rows.map((row) => keyRecord(row, fields)),
      ...about,
    }));
  },
  'GET /v1/keys/:key_id'({ fields }, _, { key_id, limit = limits.versionsDefault, offset = 0 }) {
    const keyId = parseUuid(key_id);
    const page = { by: 'key_version', descending: true, limit, offset } as const;
    const found: Query<KeyVersionRow> = { table: keyVersions, where: equal({ key_id: keyId }), ...page };
    const usesIn = (key: KeyRow) => usesOf(key, key.key_version - offset, limit);
    return {
      needs(view) {
        if (keyId === undefined) return [];
        // The uses of a key that is remembered are read in the same snapshot.
        const key = unlessRefused(() => view.find(keys, keyId));
        return [refTo(keys, keyId), allOf(found), ...(key ? [allOf(usesIn(key))] : [])];
      },
      judge(view, holder) {
        const key = requireKey(view, holder, key_id);
        const versions = withUses(view.all(found).rows, view.all(usesIn(key)).rows);
        const about = { versions_total: key.key_version, limit, offset };
        return { entries: [], answer: { ...keyRecord(key, fields), ...about, versions } };
      },
    };
  },
  ...changes(),
  'POST /v1/keys/:key_id/export': exportKey,
} satisfies Partial<Operations>;

/** How many versions one decision erases: more would hold up everybody else on this replica. */
const erasedAtOnce = 500;

/** Makes the operation that changes a key by a rule. A key of many versions is erased in pieces, which are due one after another. */
function changing<Request>(rule: (key: KeyRow, now: number, input: Request) => Change<KeyRow> | undefined) {
  return (service: Service, caller: Caller, input: Request & Named): Part<KeyRecord> => {
    const { fields } = service;
    let isBegun = false;
    return {
      changes: true,
      needs: () => keyNeeds(input.key_id),
      judge(view, holder) {
        const before = requireKey(view, holder, input.key_id);
        const whole = rule(before, view.now, input);
        if (!whole) return { entries: [], answer: keyRecord(before, fields) };

        const [, { status }] = whole;
        const unerasedRows = status === 'destroyed' ? view.all(unerased(before)).rows : [];
        isBegun = unerasedRows.length > erasedAtOnce;

        const [action, set, told] = isBegun ? rules.begunErasure(whole) : whole;
        const row = { ...before, ...set, rev: view.entryId };
        const draft = keyDraft(action, row, {
          ...told,
          previous_change: before.rev,
          ...whoActs(holder),
        });

        const writes = [put(keys, row)];
        if (row.key_version > before.key_version) writes.push(newVersion(view, row));
        for (const version of unerasedRows.slice(0, erasedAtOnce)) {
          writes.push(put(keyVersions, { ...version, sealed: null }));
        }
        return { entries: [draft], writes, answer: keyRecord(row, fields) };
      },
      rest: () => (isBegun ? settleKey(service, caller, { key_id: input.key_id }) : undefined),
    };
  };
}

/** The versions that are not erased yet, as far as one decision looks. */
const unerased = ({ key_id }: KeyRow): Query<KeyVersionRow> => ({
  table: keyVersions,
  where: [...equal({ key_id }), ['sealed', 'filled']],
  by: 'key_version',
  limit: erasedAtOnce + 1,
});

/** Makes the operations that change a key by a rule. */
function changes() {
  const all = Object.entries(rules.changes).map(([route, rule]) => [route, changing<never>(rule)]);
  return Object.fromEntries(all) as Pick<Operations, keyof typeof rules.changes>;
}

/** Runs a rotation or an erasure of a key that is due. */
export const settleKey = changing(rules.dueChange);

function newVersion(view: View, { tenant_id, key_id, key_version }: KeyRow): Write {
  const sealed = newMaterial(view.secrets.sealing, versionPlace(tenant_id, key_id, key_version));
  return add(keyVersions, { tenant_id, key_id, key_version, created_at: view.now, sealed });
}

const unwrapping = ['decrypt', 'key.unwrap'];
const counted = ['encrypt', 'key.wrap', ...unwrapping];

/** How often so many versions of a key were used, of which the newest is given. */
const usesOf = ({ key_id }: KeyRow, newest: number, count: number): Query<TallyRow> => ({
  table: tallies,
  where: [
    ...equal({ key_id }),
    ...between('key_version', newest - count + 1, newest),
    ['action', 'in', counted],
  ],
});

/** Shows versions of a key, with their uses. */
function withUses(versions: readonly KeyVersionRow[], tallied: readonly TallyRow[]) {
  const shown = versions.map(({ key_version, created_at }) => {
    const unused = { wraps: 0, unwraps: 0, last_unwrap_at: null as string | null };
    return { key_version, created_at: formatTimestamp(created_at), ...unused };
  });
  const uses = new Map<number | null, (typeof shown)[number]>(shown.map((one) => [one.key_version, one]));
  for (const { key_version, action, n, last_at } of tallied) {
    const use = uses.get(key_version);
    const last = formatTimestamp(last_at);
    if (!use || n === 0) continue;
    if (!unwrapping.includes(action)) use.wraps += n;
    else {
      use.unwraps += n;
      if (last > (use.last_unwrap_at ?? '')) use.last_unwrap_at = last;
    }
  }
  return shown;
}
