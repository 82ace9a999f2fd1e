// How the tables of tenants stand in PostgreSQL: what the store must know of them beside what the service does. The functions
// that write rows, and the rights of the server's role, are made from it.
import * as core from '@eaas/service';
import { keySets } from './issuer-tables.ts';
import { verifications } from './night-tables.ts';
import { ofPeople, storedSubjects } from './people-tables.ts';
import { logProofs } from './public-log-tables.ts';

export interface StoredTable extends core.Table<never> {
  /** The columns that change when an entry writes a row again. Absent: all but the id. Entries write no loose rows. */
  readonly updatable?: readonly string[];
  /** The id under which changes of the row `t` are recorded, in SQL, unless it is the row's own. */
  readonly recordId?: string;
  /** Rows are counted as they are written, by a column: as one group, in SQL, where the column is not null. */
  readonly counted?: { readonly column: string; readonly group: string };
  /** Columns of which few rows have the same value. PostgreSQL would otherwise search all rows in the order of a list. */
  readonly selective?: readonly string[];
  /** The values that stand for null in a primary key, which cannot have it. */
  readonly nulls?: Readonly<Record<string, string | number>>;
  /** The columns by whose values the table `tallies` counts the rows as they come and go. */
  readonly tallied?: readonly string[];
  /** The columns of bytes. `storedTables` adds them. */
  readonly binary?: ReadonlySet<string>;
  /** What the server's role may do with loose rows beside reading and inserting, in SQL. */
  readonly rights?: 'update' | 'delete' | 'update, delete';
  /** Whether nothing refuses to truncate the table: its rows change without an entry. */
  readonly mayBeLost?: true;
  /** What conditions can name although it is no column, in SQL. */
  readonly expressions?: Readonly<Record<string, string>>;
}

/** The condition of the index of rare actions, in SQL. PostgreSQL uses it for statements that say it too, without a parameter. */
export const isRare = `action not in (${core.frequentActions.map((action) => `'${action}'`).join(', ')})`;

/** Stands for null in the key of a tally. */
export const noId = '00000000-0000-0000-0000-000000000000';

const tables: readonly StoredTable[] = [
  core.tenants,
  { ...core.keys, counted: { column: 'status', group: 'status' }, selective: ['name', 'key_id'] },
  { ...core.keyVersions, updatable: ['sealed'] },
  core.apiKeys,
  { ...core.entries, tallied: ['key_id', 'action'], expressions: ofPeople },
  { ...core.blocks, mayBeLost: true },
  { ...core.heads, rights: 'update' },
  { ...core.anchors, rights: 'update' },
  { ...core.tallies, nulls: { key_id: noId, key_version: 0 }, rights: 'update, delete', mayBeLost: true },
  { ...core.uses, rights: 'update', mayBeLost: true },
  storedSubjects,
  core.issuerTable,
  { ...keySets, rights: 'update', mayBeLost: true },
  { ...logProofs, rights: 'delete' },
  { ...verifications, rights: 'update', mayBeLost: true },
];

/** The type of a column, whether or not it can be null. Undefined for what is no column. */
export const typeOf = ({ types }: StoredTable, column: string): string | undefined =>
  types?.[column]?.replace('?', '');

/** The tables of tenants, by their names. */
export const storedTables: ReadonlyMap<string, StoredTable> = new Map(
  tables.map((table) => {
    const ofBytes = table.columns.filter((column) => typeOf(table, column) === 'bytes');
    return [table.name, { ...table, binary: new Set([...ofBytes, 'mac']) }];
  }),
);

export function requireTable(name: string): StoredTable {
  const table = storedTables.get(name);
  if (!table) throw new Error(`the database has no table ${name}`);
  return table;
}
