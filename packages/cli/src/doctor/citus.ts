import { hasCitus, tenantFunctions, undistributed } from '@eaas/fleet/citus';
import type { Sql } from '@eaas/server/internal';
import { judgeSettings, type Settings } from './database.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

export interface CitusNode {
  readonly name: string;
  readonly isCoordinator: boolean;
  readonly fault: string | null;
  readonly settings: (Settings & { readonly wal_level: string }) | null;
  /**
   * Maps the name of each SQL function in `tenantFunctions` to the hash of its source code on this node. Citus runs
   * these functions on the node that stores the tenant's rows.
   */
  readonly functions: Readonly<Record<string, string>> | null;
}

const check = 'citus';

export async function judgeCitus(sql: Sql): Promise<Finding[]> {
  if (!(await hasCitus(sql))) return [];
  const { tables, functions } = await undistributed(sql);
  return judgeNodes(await citusNodes(sql), [...tables, ...functions]);
}

/** Reads the settings of each node as the connected role, because a role can have its own settings. */
async function citusNodes(sql: Sql): Promise<CitusNode[]> {
  const names = tenantFunctions.map((name) => `'${name}'`).join(', ');
  const question = `
    select json_build_object('settings', json_build_object('fsync', current_setting('fsync'),
        'full_page_writes', current_setting('full_page_writes'), 'wal_level', current_setting('wal_level'),
        'synchronous_commit', current_setting('synchronous_commit')),
      'functions', (select coalesce(json_object_agg(proname, md5(prosrc)), '{}') from pg_proc f
        join pg_namespace n on n.oid = pronamespace where nspname = 'eaas' and proname in (${names})))`;
  return sql<CitusNode[]>`
    select nodename || ':' || nodeport as name, groupid = 0 as "isCoordinator",
      case when not success then result end as fault,
      case when success then result::json -> 'settings' end as settings,
      case when success then result::json -> 'functions' end as functions
    from run_command_on_all_nodes(${question}, give_warning_for_connection_errors => true)
    join pg_dist_node using (nodeid) order by groupid`;
}

export function judgeNodes(nodes: readonly CitusNode[], onlyLocal: readonly string[]): Finding[] {
  const expected = nodes.find(({ isCoordinator }) => isCoordinator)?.functions ?? {};
  const workers = nodes.filter(({ isCoordinator }) => !isCoordinator);
  const findings = workers.flatMap((worker) => judgeWorker(worker, expected));
  if (workers.length === 0) {
    findings.push(
      warning(check, 'The database has the extension citus, but no workers: add them with citus_add_node.'),
    );
  }
  if (onlyLocal.length > 0) {
    findings.push(
      failed(check, `${onlyLocal.join(', ')} are only on the coordinator. Run \`eaas migrate\`.`),
    );
  }
  if (findings.length > 0) return findings;
  return [
    ok(
      check,
      `All workers respond, commit durably and have the coordinator's functions (${workers.length}).`,
    ),
  ];
}

function judgeWorker(worker: CitusNode, expected: Readonly<Record<string, string>>): Finding[] {
  const { name, fault, settings, functions } = worker;
  if (!settings || !functions) {
    return [
      failed(check, `The worker ${name} does not respond, so its tenants are not served: ${fault ?? ''}`),
    ];
  }
  const findings = judgeSettings(settings)
    .filter(({ status }) => status !== 'ok')
    .map(({ check: setting, status, message }) => ({
      check: setting,
      status,
      message: `On the worker ${name}, ${message}`,
    }));
  if (settings.synchronous_commit === 'off') {
    const message = `On the worker ${name}, synchronous_commit is off, so a move of a shard can lose entries`;
    findings.push(
      failed(check, `${message} without a crash. Set synchronous_commit = on before you move a shard.`),
    );
  }
  if (settings.wal_level !== 'logical') {
    const message = `On the worker ${name}, wal_level is ${settings.wal_level}, and a shard can only be moved with`;
    findings.push(
      warning(
        check,
        `${message} block_writes, which stops the writes of its tenants. Set wal_level = logical.`,
      ),
    );
  }
  const different = Object.keys(expected).filter((one) => functions[one] !== expected[one]);
  if (different.length > 0) {
    const message = `On the worker ${name}, the functions ${different.join(', ')} differ from the coordinator's.`;
    const [host, port] = [name.slice(0, name.lastIndexOf(':')), name.slice(name.lastIndexOf(':') + 1)];
    const remedy = `As a superuser on the coordinator, run: select citus_activate_node('${host}', ${port})`;
    findings.push(failed(check, `${message} ${remedy}`));
  }
  return findings;
}
