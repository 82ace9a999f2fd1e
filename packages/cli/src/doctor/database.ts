// What `eaas doctor` and the log of a starting server say about the database and the role that connects to it.
import { isLoopback, ownsTables, requireVersion, type Sql, type Transaction } from '@eaas/server/internal';
import { type Finding, failed, named, ok, type Verdict, warning } from './finding.ts';

export function judgeTls(databaseUrl: string | null): Verdict {
  const { hostname, searchParams } = new URL(databaseUrl ?? 'postgres:');
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  if (host === '' || host.startsWith('/') || isLoopback(host)) {
    return ok('The connection ends on this machine. If a proxy listens there, check its own connection.');
  }
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl');
  const remedy = 'Add ?sslmode=verify-full to the URL.';
  if (mode === null) {
    return failed(`The URL of the database has no sslmode, so nothing is encrypted. ${remedy}`);
  }
  if (['disable', 'false', 'prefer', 'require', 'allow'].includes(mode)) {
    return warning(`sslmode=${mode} does not check the certificate of ${host}. ${remedy}`);
  }
  return ok(`The connection to ${host} is encrypted, and its certificate is checked.`);
}

export async function judgeDatabase(sql: Sql): Promise<Verdict> {
  const version = await requireVersion(sql);
  const [row] = await sql<{ standby: boolean; readOnly: boolean }[]>`
    select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly"`;
  if (row?.standby) {
    return failed('The database is a standby. Set EAAS_DATABASE_URL to an address of the primary.');
  }
  if (row?.readOnly) {
    return failed('The database accepts no changes. Set default_transaction_read_only = off.');
  }
  return ok(`PostgreSQL ${version} responds and accepts changes.`);
}

/** Lets PostgreSQL write a temporary file of 14 MB, which fails on a full disk. Changes nothing. */
export async function judgeDisk(tx: Transaction): Promise<Verdict> {
  await tx`select set_config('work_mem', '64kB', true)`;
  await tx`select count(*) from generate_series(1, 1000000)`;
  return ok('The disk of the database has free space.');
}

const settings = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;
export type Settings = Readonly<Record<(typeof settings)[number], string>>;

export async function judgeDurability(sql: Sql): Promise<Finding[]> {
  const [row] = await sql<Settings[]>`
    select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit`;
  return judgeSettings(row ?? { fsync: '', full_page_writes: '', synchronous_commit: '' });
}

export function judgeSettings(found: Settings): Finding[] {
  return settings.map((check) => named(check, judgeSetting(check, found[check])));
}

function judgeSetting(setting: string, value: string): Verdict {
  const remedy = `lose entries and keys that clients already use. Set ${setting} = on.`;
  if (value === 'off') return failed(`${setting} is off: a crash can ${remedy}`);
  if (value === 'local' || value === 'remote_write') {
    return warning(`${setting} is ${value}: a failover can ${remedy}`);
  }
  return ok(`${setting} is ${value}.`);
}

interface Rights {
  readonly role: string;
  readonly superuser: boolean;
  readonly works: boolean;
  readonly changesLog: boolean;
}

export async function judgeRole(sql: Sql): Promise<Verdict> {
  const [rights] = await sql<Rights[]>`
    select current_user::text as role, rolsuper as superuser,
      has_table_privilege('eaas.audit_entries', 'insert') and has_table_privilege('eaas.audit_heads', 'update')
        and (select bool_and(has_table_privilege(oid, 'select')) from pg_class
          where relnamespace = 'eaas'::regnamespace and relkind in ('r', 'p'))
        and (select coalesce(bool_and(has_function_privilege(oid, 'execute')), false) from pg_proc
          where pronamespace = 'eaas'::regnamespace and proname = 'append') as works,
      has_table_privilege('eaas.audit_entries', 'update, delete, truncate') as "changesLog"
    from pg_roles where rolname = current_user`;
  if (!rights) {
    throw new Error('the table pg_roles must have a row for the role of the connection (got none)');
  }
  const { role, superuser, works, changesLog } = rights;
  const remedy =
    'Give the server a separate role, set EAAS_MIGRATE_DATABASE_URL to the owner, and run `eaas migrate`.';
  if (superuser) return failed(`The role ${role} is a superuser, so it can change every database. ${remedy}`);
  if (!works) {
    return failed(
      `The role ${role} cannot read all tables or not write audit entries: run \`eaas migrate\`.`,
    );
  }
  if (await ownsTables(sql)) {
    return warning(`The role ${role} owns the tables, so it can change the audit log. ${remedy}`);
  }
  if (changesLog) return warning(`The role ${role} can change or delete audit entries. Revoke these rights.`);
  return ok(`The role ${role} has the rights that a server needs, and cannot change the audit log.`);
}

/** Whether every role of the database may use tables, or functions that run with the rights of their owner. */
export async function judgeGrants(sql: Sql): Promise<Verdict> {
  const rows = await sql<{ object: string; rights: string }[]>`
    select object, string_agg(distinct privilege_type, ', ' order by privilege_type) as rights
    from (
      select 'table eaas.' || relname as object, acl.* from pg_class, aclexplode(relacl) acl
        where relnamespace = 'eaas'::regnamespace and relkind in ('r', 'p')
      union all
      select 'function eaas.' || proname, acl.* from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) acl
        where pronamespace = 'eaas'::regnamespace and prosecdef
    ) granted
    where grantee = 0 group by object order by object`;
  if (rows.length === 0) return ok('No right is granted to everybody.');
  const rights = rows.map((row) => `${row.rights} on ${row.object}`).join('; ');
  const remedies = rows.map(({ object }) => `\`revoke all on ${object} from public\``).join(', ');
  return warning(
    `Everybody who can connect to the database has rights: ${rights}. Take them back: ${remedies}.`,
  );
}
