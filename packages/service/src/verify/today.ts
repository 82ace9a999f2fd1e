// What the rows of today say about the entries of a walk: who had been revoked, erased or destroyed before, and what actors and
// the tenant might do. A row tells of every entry after its `rev`, which changed it last, however many lie between. Of earlier ones,
// the updates that the walk has passed tell.
import { effectIn, effectOf, type LogHistory } from '@eaas/protocol/internal-log';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { checkRow } from '../ledger/row-macs.ts';
import type { Stored } from '../ledger/store.ts';
import { nameOf, type Query, type Ref, refOf, refTo, type Table, type Where } from '../ledger/table.ts';
import {
  type ApiKeyRow,
  type EntryRow,
  type KeyRow,
  keys,
  type TenantRow,
  tenants,
} from '../ledger/tables.ts';
import { attempt } from '../rules/refusal.ts';
import type { Service } from '../service.ts';

/** What is read of a row, whatever it is of. */
type Row = Partial<ApiKeyRow & KeyRow & TenantRow & { readonly erased_id: number | null }>;

/** By how much the time of an entry can be after its judgement, because it is never before that of an earlier entry. */
const leeway = 60_000;
/** How many rows are remembered as they were looked up, and of how many the updates. */
const mostKept = 100_000;
/** Of how many rows is remembered which entry had changed them last when they were looked up. */
const mostRevisions = 500_000;

export type Today = ReturnType<typeof rowsOfToday>;

export function rowsOfToday(
  { store, tables }: Service,
  tenantId: string,
  secrets: TenantSecrets,
  mostRows = mostKept,
) {
  const having = (column: string): Table<never>[] =>
    [...tables.values()].filter(({ types = {} }) => column in types);
  const actors = having('revoked_at');
  const people = having('erased_id');

  /** Rows as they were read, by their names, or null where none was, or an altered one. People are named by halves of their ids. */
  const read = new Map<Ref, Row | null>();
  /** Which entry had changed them last when they were looked up first. It is kept longer, because the rows are compared at the end. */
  const revisions = new Map<Ref, number>();
  /** What updates have set, by the ids of rows. */
  const updated = new Map<string, Row>();
  /** What is known of the rows that the page names, by their ids, where the walk is. */
  const rows = new Map<string, Row>();

  function keep(name: Ref, stored: Stored | null): void {
    const table = tables.get(name.slice(0, name.indexOf(' '))) as Table<Row> | undefined;
    // Of a block, only its name says something.
    const row = stored && table ? attempt(() => checkRow(secrets, table, stored)) : stored?.row;
    read.set(name, (row as Row | undefined) ?? null);
  }

  /** Remembers which entry had changed a row last, when it is looked up first. */
  function rememberRevision(name: Ref): void {
    const isRow = tables.has(name.slice(0, name.indexOf(' ')));
    if (!isRow || revisions.has(name) || revisions.size >= mostRevisions) return;
    revisions.set(name, revisionOf(read.get(name) ?? null));
  }

  const nameIn = (table: Table<never>, row: object): Ref =>
    refOf(table, row as never).slice(0, people.includes(table) ? -32 : undefined) as Ref;

  async function readAll(names: readonly Ref[]): Promise<void> {
    const queries = people.flatMap((table) => {
      const halves = names.flatMap((name) => (name.startsWith(`${table.name} `) ? name.slice(-32) : []));
      return halves.length > 0 ? [erasedOf(table, halves)] : [];
    });
    const known = await store.read(tenantId, [...names, ...queries]);
    for (const [name, stored] of known.rows) keep(name, stored);
    for (const query of queries) {
      for (const stored of known.found.get(nameOf(query))?.rows ?? []) {
        keep(nameIn(query.table, stored.row), stored);
      }
    }
    for (const name of names) rememberRevision(name);
  }

  /** Tells a history what a row says, if no entry from `first` on has changed it. */
  function tell(history: LogHistory, name: Ref, row: Row, first: number): void {
    const { rev = row.erased_id ?? first } = row;
    const [, id = ''] = name.split(' ');
    const isOlder = rev < first;
    const rowBefore = isOlder ? row : {};
    rows.set(id, { ...rowBefore, ...updated.get(id) });
    if (isOlder) history.learnRow(id, row, rev);
  }

  return {
    /**
     * Reads the rows that a page of entries names, and tells the history what had ended before the page. Returns whether all of
     * `blocks` are stored.
     */
    async look(page: readonly EntryRow[], history: LogHistory, blocks: readonly Ref[]): Promise<boolean> {
      const first = Number(page[0]?.id);
      const namedIn = (column: 'actor' | 'key_id', { name }: { readonly name: string }): Ref[] =>
        Array.from(new Set(page.map((entry) => entry[column])), (id): Ref => `${name} ${id}`);
      // A context can say the same of nobody. The entry of an erasure has the whole id.
      const said = page.map(({ metadata }) => metadata).join();
      const halves = new Set(Array.from(said.matchAll(/"subject":"([\da-f]{32})"/g), ([, half]) => half));
      const named = [
        refTo(tenants, tenantId),
        ...actors.flatMap((table) => namedIn('actor', table)),
        ...namedIn('key_id', keys),
        ...people.flatMap(({ name }) => Array.from(halves, (half): Ref => `${name} ${half}`)),
      ];
      for (const kept of [updated, read]) if (kept.size > mostRows) kept.clear();
      rows.clear();
      const unread = [...named, ...blocks].filter((name) => !read.has(name));
      if (unread.length > 0) await readAll(unread);
      for (const name of named) {
        const row = read.get(name);
        if (row) tell(history, name, row, first);
      }
      return blocks.every((block) => read.get(block));
    },

    /** Whether a row was another one when it was looked up, though no entry after `last` has changed it. */
    wasAnother(table: Table<never>, row: object, last: number): boolean {
      const before = revisions.get(nameIn(table, row));
      const now = revisionOf(row);
      return before !== undefined && now <= last && now !== before;
    },

    /** Whether more rows were looked up than are compared at the end. */
    hasForgotten: (): boolean => revisions.size >= mostRevisions,

    /** Whether an entry is of a call that its actor might not make. */
    forbids({ action, actor, key_id, created_at }: EntryRow): boolean {
      const { permissions, key_ids, expires_at } = rows.get(actor) ?? {};
      const permission = effectOf(action)?.needs;
      if (permission && permissions?.includes(permission) === false) return true;
      if (key_id !== null && key_ids?.includes(key_id) === false) return true;
      // The time in the entry of an update is a text.
      if (expires_at && created_at - leeway > Number(new Date(expires_at))) return true;
      // The operator may always.
      const isServerMode = action === 'encrypt' || action === 'decrypt';
      return isServerMode && rows.has(actor) && rows.get(tenantId)?.envelope_only === true;
    },

    /** Goes on behind an entry. */
    pass(entry: EntryRow): void {
      if (!effectOf(entry.action)?.changes) return;
      const told = JSON.parse(entry.metadata) as Readonly<Record<string, unknown>>;
      const said = effectIn({ ...entry, tenant_id: tenantId } as EntryRow, told);
      if (!said) return;
      for (const known of [updated, rows]) known.set(said.id, { ...known.get(said.id), ...said.columns });
    },

    /** Goes on to an entry whose predecessor is not known: it could have been an update of anything. */
    skipTo(): void {
      for (const known of [updated, rows]) known.clear();
    },
  };
}

/** The id of the entry that changed a row last. There is none of an altered row, and of one that does not exist. */
const revisionOf = (row: Row | null): number => row?.rev ?? row?.erased_id ?? 0;

/** Finds erased people by the first halves of their ids, which is what entries name. */
const erasedOf = (table: Table<never>, halves: readonly string[]): Query<never> => {
  const ofThese: Where = [String(table.id[0]), 'begins', halves];
  return { table, where: [['erased_id', '>=', 1], ofThese] };
};
