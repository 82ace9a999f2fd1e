// How the tables of tenants stand in PostgreSQL: what the store must know of them beside their names. The schema, the functions
// that write rows, and the rights of the server's role are made from it.
import { intake } from './plugins/intake.ts';
import { issuers } from './plugins/issuers.ts';
import { publicLog } from './plugins/log.ts';
import { nights } from './plugins/nights.ts';
import { people } from './plugins/people.ts';

export interface StoredTable {
  readonly name: string;
  /** The columns that name a row within its tenant. */
  readonly id: readonly string[];
  readonly uuids?: readonly string[];
  /** Columns of bytes, beside `mac`. */
  readonly bytes?: readonly string[];
  /** The columns that change when a row is written again. Absent: all but the id. Empty: rows are not written by links. */
  readonly changes?: readonly string[];
  /** The id under which changes of the row `t` are recorded, in SQL. */
  readonly recorded?: string;
  /** The column by which a row is found among those of all tenants. */
  readonly foundBy?: string;
  /** Rows are counted as they are written, by a column: as one group, in SQL, where the column is not null. */
  readonly counted?: { readonly column: string; readonly group: string };
  /** Columns of which few rows have the same value. PostgreSQL would otherwise search all rows in the order of a list. */
  readonly few?: readonly string[];
  /** The values that stand for null in a primary key, which cannot have it. */
  readonly nulls?: Readonly<Record<string, string | number>>;
  /** What conditions can name although it is no column, in SQL. */
  readonly derived?: Readonly<Record<string, string>>;
}

/** What a plugin adds to the schema. */
export interface SchemaPlugin {
  readonly schema: string;
  readonly tables?: readonly StoredTable[];
  /** What comes after the functions that refuse changes. */
  readonly guards?: string;
  /** What the server's role may beside reading and inserting. */
  readonly rights?: readonly string[];
  /** What conditions on entries can name, in SQL. */
  readonly entries?: Readonly<Record<string, string>>;
}

export const schemaPlugins: readonly SchemaPlugin[] = [people, issuers, intake, publicLog, nights];

/** Stands for null in the key of a tally. */
export const noId = '00000000-0000-0000-0000-000000000000';

const core: readonly StoredTable[] = [
  {
    name: 'tenants',
    id: ['tenant_id'],
    uuids: ['tenant_id'],
    bytes: ['root_id', 'sealed_secret'],
    recorded: 't.tenant_id',
  },
  {
    name: 'keys',
    id: ['key_id'],
    uuids: ['key_id'],
    bytes: ['sealed_hash_key'],
    recorded: 't.key_id',
    counted: { column: 'status', group: 'status' },
    few: ['name', 'key_id'],
  },
  {
    name: 'key_versions',
    id: ['key_id', 'key_version'],
    uuids: ['key_id'],
    bytes: ['sealed'],
    changes: ['sealed'],
  },
  {
    name: 'api_keys',
    id: ['api_key_id'],
    uuids: ['api_key_id'],
    bytes: ['token_hash'],
    recorded: 't.api_key_id',
    foundBy: 'token_hash',
  },
  {
    name: 'audit_entries',
    id: ['id'],
    uuids: ['key_id'],
    bytes: ['hash'],
    changes: [],
    derived: Object.fromEntries(schemaPlugins.flatMap(({ entries = {} }) => Object.entries(entries))),
  },
  {
    name: 'audit_heads',
    id: ['tenant_id'],
    uuids: ['tenant_id'],
    bytes: ['hash', 'sum', 'nonce'],
    changes: [],
  },
  { name: 'audit_anchors', id: ['tenant_id'], uuids: ['tenant_id'], bytes: ['hash'], changes: [] },
  {
    name: 'tallies',
    id: ['key_id', 'key_version', 'action', 'month'],
    uuids: ['key_id'],
    changes: [],
    nulls: { key_id: noId, key_version: 0 },
  },
  { name: 'api_key_uses', id: ['api_key_id'], uuids: ['api_key_id'], changes: [] },
];

/** The tables of tenants, by their names. */
export const storedTables: ReadonlyMap<string, StoredTable> = new Map(
  [...core, ...schemaPlugins.flatMap(({ tables }) => tables ?? [])].map((table) => [table.name, table]),
);

export function requireTable(name: string): StoredTable {
  const table = storedTables.get(name);
  if (!table) throw new Error(`the database has no table ${name}`);
  return table;
}
