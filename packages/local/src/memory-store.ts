// A store in memory: for services inside a process, and for tests. Each tenant is a set of tables; what changes a tenant waits
// for what changed it before.
import {
  type Appended,
  blocks,
  compare,
  entries,
  type EntryRow,
  find,
  type Found,
  type HeadRow,
  idText,
  type Known,
  type Link,
  LinkRefused,
  nameOf,
  type Need,
  type Owned,
  put,
  type Query,
  type Reader,
  type Ref,
  refOf,
  type SealedWrite,
  type Store,
  type Stored,
  type Table,
  tallies,
  type TallyRow,
  type Write,
} from '@eaas/service';

/** What a store in memory is made with. */
export interface MemoryStoreOptions {
  /** The time of the store, in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Waits before a step. What it throws becomes the answer: LinkRefused before the commit is a refusal, and an error before
   * the answer is an answer that was lost.
   */
  readonly wait?: (step: MemoryStep) => Promise<void>;
}

/** `commit` is followed by the change of the tenant, and `answer` by nothing. */
type MemoryStep = 'read' | 'commit' | 'answer';

/** A tenant in memory. */
export interface MemoryTenant {
  head: HeadRow;
  /** Rows by their names, by the names of tables. */
  readonly tables: Map<string, Map<Ref, Stored>>;
  /** The nonces of links, by the ids of their first entries. */
  readonly nonces: Map<number, Uint8Array>;
  /** Settles when nobody holds the tenant's lock. */
  isFree: Promise<unknown>;
}

/** A store in memory. */
export interface MemoryStore extends Store {
  readonly tenants: Map<string, MemoryTenant>;
  /** As `read`, at once. */
  readNow(tenantId: string, needs: readonly Need[]): Known;
  /** As `append`, at once. */
  appendNow(tenantId: string, link: Link): Appended;
  /** As `create`, at once. */
  add(head: HeadRow, writes: readonly SealedWrite[]): void;
  /** Writes a row that stands in no link, like a last use. */
  set(tenantId: string, write: Write): void;
}

type Values = Readonly<Record<string, unknown>>;

const second = 1_000;

type Keep = (tenant: MemoryTenant, link: Link, keep: (write: Write) => void) => void;

/** Makes a store without tenants. */
export const memoryStore = (options: MemoryStoreOptions): MemoryStore => storeKeeping(keepLog, options);

/** As `memoryStore`. What it keeps of a link, beside changed rows, is another's to say. */
export function storeKeeping(further: Keep, { now, wait = async () => {} }: MemoryStoreOptions): MemoryStore {
  const tenants = new Map<string, MemoryTenant>();
  const owners = new Map<string, Owned>();

  function set(tenantId: string, { table, row, record }: Write & Partial<SealedWrite>): void {
    const { tables } = tenants.get(tenantId) ?? {};
    const rows = tables?.get(table.name) ?? new Map<Ref, Stored>();
    tables?.set(table.name, rows);
    const ref = refOf(table, row as never);
    rows.set(ref, { row, newest_rev: record?.rev ?? rows.get(ref)?.newest_rev ?? null });
    const values = row as Values;
    const { foundBy, id } = table as Table<Record<string, unknown>>;
    if (foundBy) {
      owners.set(idText(values[foundBy]), { tenantId, id: id.map((name) => values[name]).join(' ') });
    }
  }

  function exclusively<T>(tenant: MemoryTenant | undefined, work: () => T | Promise<T>): Promise<T> {
    const done = (tenant?.isFree ?? Promise.resolve()).then(work);
    if (tenant) tenant.isFree = done.catch(() => {});
    return done;
  }

  function appendNow(tenantId: string, link: Link): Appended {
    const time = now();
    const tenant = tenants.get(tenantId);
    const { expected, next } = link;
    if (tenant?.head.id !== expected.id || compare(tenant.head.mac, expected.mac) !== 0) {
      return { outcome: 'moved', time, ...(tenant && { head: tenant.head }) };
    }
    if (link.now > time + second || link.now < time - 10 * second) return { outcome: 'clock', time };
    for (const written of link.writes) set(tenantId, written);
    further(tenant, link, (write) => set(tenantId, write));
    tenant.head = next;
    return { outcome: 'written', time };
  }

  function add(head: HeadRow, writes: readonly SealedWrite[]): void {
    const { tenant_id: tenantId } = head;
    if (tenants.has(tenantId)) throw new LinkRefused('the tenant exists');
    tenants.set(tenantId, { head, tables: new Map(), nonces: new Map(), isFree: Promise.resolve() });
    for (const written of writes) set(tenantId, written);
  }

  const readNow = (tenantId: string, needs: readonly Need[]) => knownOf(tenants.get(tenantId), needs, now());

  return {
    tenants,
    readNow,
    appendNow,
    add,
    set,
    async read(tenantId, needs) {
      await wait('read');
      return readNow(tenantId, needs);
    },
    async append(tenantId, link) {
      await wait('commit');
      const appended = await exclusively(tenants.get(tenantId), () => appendNow(tenantId, link));
      await wait('answer');
      return appended;
    },
    async locked(tenantId, needs, lost, work) {
      const tenant = tenants.get(tenantId);
      const appended = await exclusively(tenant, async () => {
        await wait('read');
        const link = work({ ...readNow(tenantId, needs), written: writtenOf(tenant, lost) });
        await wait('commit');
        return link && appendNow(tenantId, link);
      });
      await wait('answer');
      return appended;
    },
    async snapshot(tenantId, needs, work) {
      await wait('read');
      return work(readerOf(tenants.get(tenantId), needs, now()));
    },
    whose: async (names) => {
      await wait('read');
      const named = [...owners].filter(
        ([name, owned]) => names.includes(name) && tenants.has(owned.tenantId),
      );
      return new Map(named);
    },
    async create(head, writes) {
      await wait('commit');
      add(head, writes);
      await wait('answer');
    },
  };
}

function knownOf(tenant: MemoryTenant | undefined, needs: readonly Need[], time: number): Known {
  const rows: Known['rows'] & Map<Ref, Stored | null> = new Map();
  const found: Known['found'] & Map<string, ReturnType<typeof foundIn>> = new Map();
  for (const need of needs) {
    if (typeof need !== 'string') found.set(nameOf(need), foundIn(tenant, need));
    else rows.set(need, tenant?.tables.get(need.slice(0, need.indexOf(' ')))?.get(need) ?? null);
  }
  return { head: tenant?.head ?? null, time, rows, found };
}

function foundIn(tenant: MemoryTenant | undefined, query: Query<never>): Found<Stored> {
  const isOfEntries = query.table.name === entries.name;
  const items = [...(tenant?.tables.get(query.table.name)?.values() ?? [])];
  const rowIn = ({ row }: Stored) => (isOfEntries ? withPeople(row as EntryRow, query) : row);
  const page = find(query, items, rowIn);
  if (!query.sums) return page;
  const { rows } = find({ table: query.table, where: query.where }, items, rowIn);
  const sumOf = (column: string) => rows.reduce((sum, { row }) => sum + Number((row as Values)[column]), 0);
  return { ...page, sums: Object.fromEntries(query.sums.map((column) => [column, sumOf(column)])) };
}

/** Adds what a condition asks for and is no column: the first half of an id in the metadata. */
function withPeople(row: EntryRow, { where }: Query<never>): object {
  const columns: readonly string[] = entries.columns;
  if (where.every(([column]) => columns.includes(column))) return row;
  const metadata = Object.entries(JSON.parse(row.metadata) as object);
  const halves = metadata.map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, 32) : null,
  ]);
  return { ...Object.fromEntries(halves), ...row };
}

function writtenOf(tenant: MemoryTenant | undefined, lost: readonly Link[]): Link | undefined {
  return lost.find(({ expected, next }) => compare(tenant?.nonces.get(expected.id + 1), next.nonce) === 0);
}

function readerOf(tenant: MemoryTenant | undefined, needs: readonly Need[], time: number): Reader {
  const copies = new Map([...(tenant?.tables ?? [])].map(([name, rows]) => [name, [...rows.values()]]));
  return { known: knownOf(tenant, needs, time), rows: ({ name }) => [copies.get(name) ?? []] };
}

/** Keeps the entries of a link, and what counts and finds them. */
const keepLog: Keep = (tenant, link, keep) => {
  for (const row of entriesOf(link)) keep(put(entries, row));
  for (const row of talliesOf(tenant, link)) keep(put(tallies, row));
  for (const [block, ...of] of link.blocks.map((name) => name.split(' '))) {
    keep(put(blocks, { block: Number(block), of: of.join(' ') }));
  }
  tenant.nonces.set(link.expected.id + 1, link.next.nonce);
};

function entriesOf({ expected, next, runs, seals }: Link): EntryRow[] {
  const { tenant_id, created_at } = next;
  return runs.flatMap(({ first, last, ...run }) =>
    Array.from({ length: last - first + 1 }, (_, index): EntryRow => {
      const at = 80 * (first + index - 1);
      const hash = seals.slice(at, at + 32);
      const mac = seals.slice(at + 32, at + 64);
      const salt = seals.slice(at + 64, at + 80);
      return { tenant_id, id: expected.id + first + index, ...run, created_at, salt, hash, mac };
    }),
  );
}

function talliesOf(tenant: MemoryTenant, { next, ...link }: Link): TallyRow[] {
  const { tenant_id, month, created_at: last_at } = next;
  return link.tallies.map(({ n, refused, ...kind }) => {
    const row = { tenant_id, ...kind, month, n, refused, purged: 0, last_at };
    const before = tenant.tables.get(tallies.name)?.get(refOf(tallies, row))?.row as TallyRow | undefined;
    if (!before) return row;
    const last = n > 0 ? last_at : before.last_at;
    return { ...before, n: before.n + n, refused: before.refused + refused, last_at: last };
  });
}
