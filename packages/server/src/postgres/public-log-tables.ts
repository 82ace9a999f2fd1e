// The tables of the public log of all heads, and what the database refuses in them. Only the package @eaas/log reads and writes
// them; a log has an origin, and the one without ended_at is the current one.
import { tableOf } from '@eaas/service';
import { guard } from './guard.ts';

/**
 * What never changes in the public log: a log that was begun, ended or halted; the bytes of a tile, which only grow; a checkpoint,
 * which only gets cosignatures; the proof of a head. Only moments and proofs are deleted, when they are old.
 */
const growing: readonly (readonly [table: string, moment: string, condition?: string])[] = [
  [
    'log_keys',
    'update',
    `when ((new.origin, new.public_key, new.created_at) is distinct from (old.origin, old.public_key, old.created_at)
    or new.ended_at is distinct from old.ended_at and old.ended_at is not null
    or new.halted is distinct from old.halted and old.halted is not null)`,
  ],
  [
    'log_tiles',
    'update',
    `when ((new.origin, new.level, new.n) is distinct from (old.origin, old.level, old.n)
    or substr(new.bytes, 1, length(old.bytes)) is distinct from old.bytes)`,
  ],
  [
    'log_moments',
    'update',
    `when ((new.origin, new.index, new.time, new.root) is distinct from (old.origin, old.index, old.time, old.root)
    or not starts_with(new.note, old.note) or old.witnessed and not new.witnessed)`,
  ],
  ['log_proofs', 'update'],
];

const kept = ['log_keys', 'log_tiles', 'log_moments'];

export const publicLog = `
create table eaas.log_keys (
  origin text primary key,
  public_key bytea not null,
  root_id bytea not null,
  sealed bytea not null,
  created_at bigint not null,
  ended_at bigint,
  halted text
);
create unique index log_keys_current on eaas.log_keys ((ended_at is null)) where ended_at is null;

-- The tiles of C2SP's tlog-tiles. Level -1 has the entries. A row grows until it has 256 hashes or entries, and a partial tile is
-- a prefix of it.
create table eaas.log_tiles (
  origin text not null references eaas.log_keys,
  level integer not null,
  n bigint not null,
  bytes bytea not null,
  primary key (origin, level, n)
);
alter table eaas.log_tiles alter bytes set storage external;

-- The checkpoint that a moment signed, with the cosignatures so far. It has the size index + 1.
create table eaas.log_moments (
  origin text not null references eaas.log_keys,
  index bigint not null,
  time bigint not null,
  root bytea not null,
  note text not null,
  witnessed boolean not null default false,
  primary key (origin, index)
);
create index log_moments_witnessed on eaas.log_moments (origin, index) where witnessed;

-- What proves that a moment has the head of a tenant: the hashes from the leaf up, 32 bytes each. The MAC is the log's.
create table eaas.log_proofs (
  tenant_id uuid not null,
  id bigint not null,
  hash bytea not null,
  mac bytea not null,
  origin text not null,
  index bigint not null,
  time bigint not null,
  path bytea not null,
  primary key (tenant_id, id, origin)
);
create index log_proofs_by_time on eaas.log_proofs (time);
create index log_proofs_by_moment on eaas.log_proofs (origin, index);

create function eaas.refuse_rewrite() returns trigger language plpgsql as $$
begin
  raise exception 'eaas.% only grows: % is refused', tg_table_name, tg_op using errcode = 'insufficient_privilege';
end $$;
${growing.map(([table, moment, condition]) => guard(table, 'grows', moment, 'refuse_rewrite', condition)).join('')}
${['log_keys', 'log_tiles'].map((table) => guard(table, 'kept', 'delete', 'refuse_rewrite')).join('')}
${kept.map((table) => guard(table, 'no_truncate', 'truncate', 'refuse_truncate')).join('')}
`;

export const logProofs = tableOf('log_proofs', ['id', 'origin'], {}, { isLoose: true });

/** What the server's role may beside reading and inserting. */
export const publicLogRights = [
  'update (root_id, sealed, ended_at, halted) on eaas.log_keys',
  'update (bytes) on eaas.log_tiles',
  'update (note, witnessed), delete on eaas.log_moments',
];
