// What the rows of today say about the entries of a walk: who had been revoked, erased or destroyed before, and what actors and
// the tenant might do. A row tells of every entry after its `rev`, which changed it last, however many lie between. Of earlier ones,
// the updates that the walk has passed tell.
import type { LogHistory } from '@eaas/protocol/internal-log';
import { auditActions, type Permission } from '@eaas/protocol/wire';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { checkRow } from '../ledger/row-macs.ts';
import type { Known, Stored } from '../ledger/store.ts';
import {
  nameOf,
  type Need,
  type Query,
  type Ref,
  refOf,
  refTo,
  type Table,
  type Where,
} from '../ledger/table.ts';
import { type ApiKeyRow, type EntryRow, type KeyRow, keys } from '../ledger/tables.ts';
import { type TenantRow, tenants } from '../ledger/tables.ts';
import { attempt } from '../rules/refusal.ts';
import type { Service } from '../service.ts';

/** What is read of a row, whatever it is of. */
type Row = Partial<ApiKeyRow & KeyRow & TenantRow & { readonly erased_id: number | null }>;

/** What an actor must have whose calls write entries of these actions. The first that fits counts. */
const needed: readonly (readonly [actions: RegExp, permission: Permission])[] = [
  [/^(?:encrypt|key\.wrap)$/, 'encrypt'],
  [/^(?:decrypt|key\.unwrap)$/, 'decrypt'],
  [/^key\.(?:destroy|restore)$/, 'keys.destroy'],
  [/^key\.export$/, 'keys.export'],
  [/^key\./, 'keys.manage'],
  [/^(?:api_key|issuer)\./, 'api_keys.manage'],
  [/^subject\.erase$/, 'subjects.erase'],
];
const permissionOf = new Map<string, Permission | undefined>(
  auditActions.map((action) => [action, needed.find(([actions]) => actions.test(action))?.[1]]),
);

/** By how much the time of an entry can be after its judgement, because it is never before that of an earlier entry. */
const leeway = 60_000;
/** Of how many rows updates are remembered, and how they were looked up. */
const mostKept = 100_000;

/** What the entry of an update says. */
interface Told {
  readonly api_key_id?: string;
  readonly issuer_id?: string;
  readonly changes?: Readonly<Record<string, { readonly new: unknown }>>;
}

export type Today = ReturnType<typeof rowsOfToday>;

export function rowsOfToday({ store, tables }: Service, tenantId: string, secrets: TenantSecrets) {
  const having = (column: string): Table<never>[] =>
    [...tables.values()].filter(({ types = {} }) => column in types);
  const [actors, people] = [having('revoked_at'), having('erased_id')];

  /** What updates have set, by the ids of rows. */
  const updated = new Map<string, Row>();
  /** What is known of the rows that the page names, by their ids, where the walk is. */
  const rows = new Map<string, Row>();

  /**
   * Which entry had changed what each time it was looked up: 0 if there was no such row, and -1 if that was not the same each
   * time. Rows are named by their refs, and people by the first halves of their ids.
   */
  const looked = new Map<string, number>();
  /** The same, of this page. */
  const seen = new Map<string, number>();

  /** Tells a history what a row says, if no entry from `first` on has changed it. */
  function tell(history: LogHistory, table: Table<never>, stored: Stored, first: number): void {
    const row = attempt(() => checkRow(secrets, table as Table<Row>, stored));
    const { rev = row?.erased_id ?? first, status, min_version, revoked_at, erased_id } = row ?? {};
    if (!row) return;
    const ref = refOf(table, row as never);
    const [, id = ''] = ref.split(' ');
    seen.set(erased_id ? id.slice(0, 32) : ref, rev);
    rows.set(id, { ...(rev < first && row), ...updated.get(id) });
    if (rev >= first) return;
    if (status) history.learn(`key ${id}`, status, rev);
    if (min_version) history.learn(`min_version of ${id}`, min_version, rev);
    if (revoked_at) history.learn(`actor ${id}`, 'revoked', rev);
    if (erased_id) history.learn(`subject ${id.slice(0, 32)}`, 'erased', rev);
  }

  return {
    /**
     * Reads the rows that a page of entries names, and tells the history what had ended before the page. Returns what it has
     * read, and `more`.
     */
    async look(page: readonly EntryRow[], history: LogHistory, more: Need[]): Promise<Known> {
      const first = Number(page[0]?.id);
      const named = (column: 'actor' | 'key_id', { name }: { readonly name: string }): Ref[] =>
        Array.from(new Set(page.map((entry) => entry[column])), (id): Ref => `${name} ${id}`);
      const refs = [
        refTo(tenants, tenantId),
        ...actors.flatMap((table) => named('actor', table)),
        ...named('key_id', keys),
      ];
      // A context can say the same of nobody. The entry of an erasure has the whole id.
      const said = page
        .map(({ metadata }) => metadata)
        .join()
        .matchAll(/"subject":"([\da-f]{32})"/g);
      const halves = [...new Set(Array.from(said, ([, half = '']) => half))];
      const queries = halves.length === 0 ? [] : people.map((table) => erasedOf(table, halves));
      const known = await store.read(tenantId, [...refs, ...queries, ...more]);
      rows.clear();
      for (const kept of [updated, looked]) if (kept.size > mostKept) kept.clear();
      for (const name of [...refs, ...halves]) seen.set(name, 0);
      for (const [ref, one] of known.rows) {
        const table = tables.get(ref.slice(0, ref.indexOf(' ')));
        if (one && table) tell(history, table, one, first);
      }
      for (const query of queries)
        for (const one of known.found.get(nameOf(query))?.rows ?? []) tell(history, query.table, one, first);
      for (const [name, rev] of seen) looked.set(name, (looked.get(name) ?? rev) === rev ? rev : -1);
      seen.clear();
      return known;
    },

    /** Whether a row was another one when it was looked up, though no entry after `last` has changed it. */
    wasAnother(table: Table<never>, row: object, last: number): boolean {
      const { rev: changed, erased_id: erased } = row as Row;
      const [isPerson, ref] = [people.includes(table), refOf(table, row as never)];
      const rev = (isPerson ? erased : changed) ?? 0;
      return rev <= last && (looked.get(isPerson ? ref.slice(-64, -32) : ref) ?? rev) !== rev;
    },

    /** Whether an entry is of a call that its actor might not make. */
    forbids({ action, actor, key_id, created_at }: EntryRow): boolean {
      const { permissions, key_ids, expires_at } = rows.get(actor) ?? {};
      const permission = permissionOf.get(action);
      if (permission && permissions?.includes(permission) === false) return true;
      if (key_id !== null && key_ids?.includes(key_id) === false) return true;
      if (created_at - leeway > (expires_at ?? Infinity)) return true;
      // The operator may always.
      const isServerMode = action === 'encrypt' || action === 'decrypt';
      return isServerMode && rows.has(actor) && rows.get(tenantId)?.envelope_only === true;
    },

    /** Goes on behind an entry. */
    pass({ action, metadata }: EntryRow): void {
      if (!action.endsWith('.update')) return;
      const { api_key_id, issuer_id, changes = {} } = JSON.parse(metadata) as Told;
      const id = api_key_id ?? issuer_id ?? tenantId;
      const set = Object.entries(changes).map(([column, { new: value }]) => [
        column,
        storedValue(column, value),
      ]);
      for (const known of [updated, rows]) known.set(id, { ...known.get(id), ...Object.fromEntries(set) });
    },

    /** Goes on to an entry whose predecessor is not known: it could have been an update of anything. */
    skipTo(): void {
      for (const known of [updated, rows]) known.clear();
    },
  };
}

/** The time in an entry is a text. */
const storedValue = (column: string, value: unknown) =>
  column === 'expires_at' && typeof value === 'string' ? Date.parse(value) : value;

/** Finds erased people by the first halves of their ids, which is what entries name. */
const erasedOf = (table: Table<never>, halves: readonly string[]): Query<never> => {
  const ofThese: Where = [String(table.id[0]), 'begins', halves];
  return { table, where: [['erased_id', '>=', 1], ofThese] };
};
