// Triggers that refuse what must not happen to a table. The schema has them, and plugins whose tables only grow.

/**
 * `enable always` makes a trigger fire even under `session_replication_role`. TRUNCATE has triggers of its own, because
 * it fires no row triggers.
 */
export function guard(table: string, name: string, moment: string, refusal: string, condition = ''): string {
  return `
create trigger ${table}_${name} before ${moment} on eaas.${table}
  for each ${moment === 'truncate' ? 'statement' : 'row'} ${condition} execute function eaas.${refusal}();
alter table eaas.${table} enable always trigger ${table}_${name};`;
}
