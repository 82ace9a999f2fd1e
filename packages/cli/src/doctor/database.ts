import {
  isLoopback,
  ownsTables,
  type PostgresVersion,
  readVersion,
  type Sql,
  versionFault,
} from '@eaas/server/internal';
import { type Finding, failed, ok, warning } from './finding.ts';

export function judgeDatabaseTls(databaseUrl: string | null): Finding {
  const check = 'database_tls';
  if (databaseUrl === null)
    return ok(check, 'The server connects to the embedded database over a Unix socket of this machine.');
  const { hostname, searchParams } = new URL(databaseUrl);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  if (host === '' || host.startsWith('/') || isLoopback(host)) {
    return ok(
      check,
      'The connection ends on this machine. If a proxy or pooler listens there, check its own connection to the database.',
    );
  }
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl');
  const remedy = 'Add ?sslmode=verify-full to the URL.';
  if (mode === null) {
    return failed(
      check,
      `The URL of the database has no sslmode, so the connection is not encrypted. ${remedy}`,
    );
  }
  const weakness = new Map([
    ['disable', `The connection to ${host} is not encrypted`],
    ['false', `The connection to ${host} is not encrypted`],
    ['prefer', `The connection is not encrypted if ${host} does not offer TLS`],
    ['require', `The certificate of ${host} is not checked`],
    ['allow', `The certificate of ${host} is not checked`],
  ]).get(mode);
  if (weakness !== undefined) return warning(check, `${weakness} (sslmode=${mode}). ${remedy}`);
  return ok(check, `The connection to ${host} is encrypted, and its certificate is checked.`);
}

interface State {
  readonly version: PostgresVersion;
  readonly standby: boolean;
  readonly readOnly: boolean;
}

export async function judgeDatabase(sql: Sql): Promise<Finding> {
  const [row] = await sql<Omit<State, 'version'>[]>`
    select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly"`;
  if (!row) throw new Error('the query for the state of the database must return a row (got none)');
  return judgeState({ ...row, version: await readVersion(sql) });
}

export function judgeState({ version, standby, readOnly }: State): Finding {
  const check = 'database';
  const fault = versionFault(version);
  if (fault !== undefined) return failed(check, fault);
  if (standby) {
    return failed(
      check,
      'The database is a standby, which accepts no changes. Set EAAS_DATABASE_URL to an address of the primary.',
    );
  }
  if (readOnly) {
    return failed(
      check,
      'The database accepts no changes. Set default_transaction_read_only = off for the database and the role.',
    );
  }
  return ok(check, `PostgreSQL ${version.name} responds and accepts changes.`);
}

type Setting = 'fsync' | 'full_page_writes' | 'synchronous_commit';
export type Settings = Readonly<Record<Setting, string>>;

export async function judgeDurability(sql: Sql): Promise<Finding[]> {
  const [row] = await sql<Settings[]>`
    select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit`;
  return judgeSettings(row ?? { fsync: '', full_page_writes: '', synchronous_commit: '' });
}

export function judgeSettings(settings: Settings): Finding[] {
  const risks: Record<Setting, string> = {
    fsync: 'a crash of the machine can destroy the database. Set fsync = on.',
    full_page_writes: 'a crash can leave half-written pages. Set full_page_writes = on.',
    synchronous_commit:
      'a crash loses entries and keys that clients already use. Set synchronous_commit = on for the database and the role.',
  };
  return (['fsync', 'full_page_writes', 'synchronous_commit'] as const).map((check) => {
    const value = settings[check];
    if (value === 'off') return failed(check, `${check} is off: ${risks[check]}`);
    if (value === 'local' || value === 'remote_write') {
      return warning(
        check,
        `${check} is ${value}: a failover can lose entries and keys that clients already use. Set ${check} = on for the ` +
          'database and the role.',
      );
    }
    return ok(check, `${check} is ${value}.`);
  });
}

interface Rights {
  readonly role: string;
  readonly superuser: boolean;
  readonly owns: boolean;
  readonly unreadable: readonly string[];
  readonly appends: boolean;
  readonly changesLog: boolean;
}

export async function judgeRole(sql: Sql): Promise<Finding> {
  const [row] = await sql<Omit<Rights, 'owns'>[]>`
    select current_user::text as role, rolsuper as superuser,
      (select coalesce(json_agg(relname order by relname), '[]') from pg_class
        where relnamespace = 'eaas'::regnamespace and relkind in ('r', 'p')
          and not has_table_privilege(oid, 'select')) as unreadable,
      has_table_privilege('eaas.audit_entries', 'insert') and has_table_privilege('eaas.audit_heads', 'update')
        and (select coalesce(bool_and(has_function_privilege(oid, 'execute')), false) from pg_proc
          where pronamespace = 'eaas'::regnamespace and proname = 'append') as appends,
      has_table_privilege('eaas.audit_entries', 'update, delete, truncate') as "changesLog"
    from pg_roles where rolname = current_user`;
  if (!row) throw new Error('the table pg_roles must have a row for the role of the connection (got none)');
  return judgeRights({ ...row, owns: await ownsTables(sql) });
}

const guards = [
  'api_keys_no_truncate',
  'audit_anchors_forward',
  'audit_anchors_no_truncate',
  'audit_entries_immutable',
  'audit_entries_no_truncate',
  'audit_heads_forward',
  'audit_heads_no_truncate',
  'issuers_no_truncate',
  'key_versions_no_truncate',
  'keys_no_truncate',
  'log_keys_grows',
  'log_keys_kept',
  'log_keys_no_truncate',
  'log_moments_grows',
  'log_moments_no_truncate',
  'log_proofs_grows',
  'log_proofs_no_truncate',
  'log_tiles_grows',
  'log_tiles_kept',
  'log_tiles_no_truncate',
  'row_records_immutable',
  'row_records_no_truncate',
  'subjects_no_truncate',
  'tenants_no_truncate',
];

/**
 * Checks that the triggers that guard the audit log are enabled. A trigger can be disabled by a superuser, by the owner
 * of its table, or by a restore with `pg_restore --disable-triggers`.
 */
export async function judgeGuards(sql: Sql): Promise<Finding> {
  const check = 'guards';
  const intact = await sql<{ name: string }[]>`
    select tgname::text as name from pg_trigger join pg_class c on c.oid = tgrelid
    where relnamespace = 'eaas'::regnamespace and tgenabled = 'A'`;
  const names = new Set(intact.map(({ name }) => name));
  const broken = guards.filter((guard) => !names.has(guard));
  if (broken.length === 0) return ok(check, 'The triggers that guard the audit log are enabled.');
  const repairs = broken.map(
    (name) =>
      `alter table eaas.${name.replace(/_(no_truncate|immutable|forward|grows|kept)$/, '')} enable always trigger ${name};`,
  );
  return failed(
    check,
    'Triggers that guard the audit log are disabled or missing. Find out who did this, run `eaas audit verify`, and then, ' +
      `as the owner of the tables: ${repairs.join(' ')}`,
  );
}

export function judgeRights({ role, superuser, owns, unreadable, appends, changesLog }: Rights): Finding {
  const check = 'role';
  const remedy =
    'Give the server a separate role, set EAAS_MIGRATE_DATABASE_URL to the owner, and run `eaas migrate`.';
  if (superuser) {
    return failed(check, `The role ${role} is a superuser, so it can change every database. ${remedy}`);
  }
  const action = 'Run `eaas migrate`, which grants the missing rights.';
  if (unreadable.length > 0) {
    return failed(check, `The role ${role} cannot read ${unreadable.join(', ')}. ${action}`);
  }
  if (!appends) return failed(check, `The role ${role} cannot write audit entries. ${action}`);
  if (owns) {
    return warning(
      check,
      `The role ${role} owns the tables, so it can remove the guards of the audit log. ${remedy}`,
    );
  }
  if (changesLog) {
    return warning(check, `The role ${role} can change or delete audit entries. Revoke these rights.`);
  }
  return ok(check, `The role ${role} has the rights that a server needs, and cannot change the audit log.`);
}
