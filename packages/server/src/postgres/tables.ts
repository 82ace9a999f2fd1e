// How the tables of tenants stand in PostgreSQL: what the store must know of them beside what the service does. The functions
// that write rows, and the rights of the server's role, are made from it; `steps` makes the tables.
import * as core from '@eaas/service';

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
  /** What conditions can name although it is no column, in SQL. */
  readonly expressions?: Readonly<Record<string, string>>;
}

/** The condition of the index of rare actions, in SQL. PostgreSQL uses it for statements that say it too, without a parameter. */
export const isRare = `action not in (${core.frequentActions.map((action) => `'${action}'`).join(', ')})`;

/**
 * How entries are found by the subject or the user that their metadata names, in SQL. `id` is the first 32 characters of its
 * id, or null. The names of the metadata are sorted, so both stand at its end, and no `}` follows but the last one. What a
 * context says of a `subject` has at least its own `}` behind it. A regular expression would cost each insert 70 µs.
 * `mayName` is the short condition of the index, because PostgreSQL prepares it again for each insert: with `id is not null`
 * instead, both indexes would cost 20 µs.
 */
function personAtEnd(name: string) {
  const end = 'right(metadata, 192)';
  const before = `'"${name}":"'`;
  const id = `split_part(${end}, ${before}, -1)`;
  return {
    mayName: `strpos(${end}, ${before}) > 0`,
    id: `(case when right(metadata, 2) in ('"}', 'e}') and strpos(${id}, '}') = length(${id}) then left(${id}, 32) end)`,
  };
}

export const inSubjects = personAtEnd('subject');
export const inUsers = personAtEnd('user');

/** Conditions of the list of entries, in SQL. */
const ofPeople = {
  subject: `${inSubjects.mayName} and ${inSubjects.id}`,
  user: `${inUsers.mayName} and ${inUsers.id}`,
};

/** Stands for null in the key of a tally. */
export const noId = '00000000-0000-0000-0000-000000000000';

/** The keys of a sign-in as they were last fetched. The replicas share them. */
const keySet = {
  tenant_id: 'uuid',
  issuer_id: 'uuid',
  /** Where they were fetched: those of another URI say nothing. */
  jwks_uri: 'text',
  /** The public keys as canonical JSON. */
  jwks: 'text',
  /** When the fetch began. */
  fetched_at: 'number',
} as const;

export type KeySetRow = core.RowOf<typeof keySet>;

export const keySets = core.tableOf<KeySetRow>('key_sets', ['issuer_id'], keySet, {
  label: ['eaas row v1', 'key_sets'],
  isLoose: true,
});

/** The last verification of a tenant: its newest entry then. That of all tenants has the time when it ended as its id. */
const verified = {
  tenant_id: 'uuid',
  id: 'number',
  hash: 'bytes',
  /** How many tenants were broken. */
  broken: 'number',
  /** In days since 1970. */
  night: 'number',
} as const;

export type Verified = core.RowOf<typeof verified>;

export const verifications = core.tableOf<Verified>('verifications', ['tenant_id'], verified, {
  label: ['eaas verification v1'],
  isLoose: true,
});

const storedSubjects: StoredTable = {
  ...core.subjects,
  updatable: ['sealed', 'erased_id', 'erased_at', 'erased_hash', 'mac'],
  // A forged id can be short.
  recordId: `encode(substr(t.subject_id || decode(repeat('00', 16), 'hex'), 1, 16), 'hex')::uuid`,
  counted: { column: 'erased_id', group: `case when erased_id is not null then 'erased' end` },
};

const logProofs = core.tableOf('log_proofs', ['id', 'origin'], {}, { isLoose: true });

const tables: readonly StoredTable[] = [
  core.tenants,
  { ...core.keys, counted: { column: 'status', group: 'status' }, selective: ['name', 'key_id'] },
  { ...core.keyVersions, updatable: ['sealed'] },
  core.apiKeys,
  { ...core.entries, tallied: ['key_id', 'action'], expressions: ofPeople },
  { ...core.blocks },
  { ...core.heads, rights: 'update' },
  { ...core.anchors, rights: 'update' },
  { ...core.tallies, nulls: { key_id: noId, key_version: 0 }, rights: 'update, delete' },
  { ...core.uses, rights: 'update' },
  storedSubjects,
  core.issuerTable,
  { ...keySets, rights: 'update' },
  { ...logProofs, rights: 'delete' },
  { ...verifications, rights: 'update' },
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
