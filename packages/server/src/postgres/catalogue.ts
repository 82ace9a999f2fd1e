// What the schema in a database is like, and how it differs from what this program makes: at the start of a server, after `migrate`
// and in the doctor. `steps/catalogue.service.test.ts` writes the file with what is expected.
import { escapeHidden } from '@eaas/protocol/internal';
import type { Sql } from './sql.ts';
import made from './steps/catalogue.json' with { type: 'json' };

/** What each object is, by its kind and name, such as `column keys.name`. */
export type Catalogue = Readonly<Record<string, string>>;

/** What the steps and the functions of this program make. */
export const expected: Catalogue = made;

/**
 * Reads the catalogue in one statement, which any role may. The texts are the same in each version of PostgreSQL, for each
 * `search_path`, and on Citus, which sets how the plans of functions are kept. What an operator tunes is not in them: storage, and
 * how full pages are.
 */
export async function readCatalogue(sql: Sql): Promise<Catalogue> {
  const rows = await sql<{ name: string; definition: string }[]>`
    with relation as (
      select oid, relname, relkind, relpersistence, relrowsecurity from pg_class
      where relnamespace = 'eaas'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    ), object (name, definition) as (
      select concat(case when relkind in ('v', 'm') then 'view ' else 'table ' end, relname),
        concat_ws(' ', case relpersistence when 'u' then 'unlogged' end, case relkind when 'r' then 'table' else relkind::text end,
          case when relrowsecurity then 'with row security' end)
      from relation
      union all
      select format('column %s.%s', relname, attname), concat_ws(' ', format_type(atttypid, atttypmod),
        case when attcollation <> typcollation then 'collate ' || attcollation::regcollation end,
        case when attnotnull then 'not null' end, 'default ' || pg_get_expr(adbin, adrelid), nullif(attidentity, ''))
      from relation join pg_attribute on attrelid = relation.oid and attnum > 0 and not attisdropped
        join pg_type on pg_type.oid = atttypid left join pg_attrdef on (adrelid, adnum) = (attrelid, attnum)
      where relkind in ('r', 'p')
      union all
      select format('constraint %s.%s', relname, conname),
        regexp_replace(pg_get_constraintdef(c.oid), 'REFERENCES (eaas\\.)?',
          concat('REFERENCES ', (select relnamespace::regnamespace from pg_class where oid = confrelid), '.'))
      from relation join pg_constraint c on conrelid = relation.oid and contype in ('p', 'u', 'f', 'c', 'x')
      union all
      select format('index %s.%s', relation.relname, c.relname),
        concat_ws(' ', regexp_replace(pg_get_indexdef(c.oid), ' WITH \\(.*?\\)', ''), case when not indisvalid then 'invalid' end)
      from relation join pg_index on indrelid = relation.oid join pg_class c on c.oid = indexrelid where not indisprimary
      union all
      select format('trigger %s.%s', relname, tgname),
        regexp_replace(pg_get_triggerdef(t.oid), 'EXECUTE FUNCTION .*',
          format('EXECUTE FUNCTION %s.%s, ', pronamespace::regnamespace, proname)) ||
        case tgenabled when 'A' then 'always' when 'O' then 'enabled' when 'R' then 'replica' else 'disabled' end
      from relation join pg_trigger t on tgrelid = relation.oid and not tgisinternal join pg_proc on pg_proc.oid = tgfoid
      union all
      select format('rule %s.%s', relname, rulename), concat('on ', ev_type)
      from relation join pg_rewrite on ev_class = relation.oid where relkind in ('r', 'p')
      union all
      select format('child %s.%I.%I', parent.relname, child.relnamespace::regnamespace, child.relname), 'inherits'
      from relation parent join pg_inherits on inhparent = parent.oid join pg_class child on child.oid = inhrelid
      union all
      select format('function %s(%s)', proname, oidvectortypes(proargtypes)), concat_ws(' ', format_type(prorettype, null), lanname,
        provolatile, case when prosecdef then 'definer' end, case when proisstrict then 'strict' end,
        (select string_agg(setting, ' ' order by setting) from unnest(proconfig) setting where setting not like 'plan_cache_mode=%'),
        encode(sha256(convert_to(concat(proargnames, coalesce(pg_get_function_sqlbody(p.oid), prosrc)), 'UTF8')), 'hex'))
      from pg_proc p join pg_language l on l.oid = prolang where pronamespace = 'eaas'::regnamespace
    )
    select name, regexp_replace(definition, '\\s+', ' ', 'g') as definition from object order by name collate "C"`;
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

/** How the schema of a database differs from what this program makes. */
export interface Differences {
  /** What is missing, different, or runs beside our own statements: each as a sentence. */
  readonly faults: readonly string[];
  /** What does no harm: views, indexes, columns and tables of an operator. */
  readonly others: readonly string[];
  /** What would be a fault, if EAAS_SCHEMA_ALLOW did not name it. */
  readonly allowed: readonly string[];
}

/** What a schema is compared with. */
export interface Comparison {
  readonly expected: Catalogue;
  /** Whether a later program has made the schema, and not recorded what it makes. */
  readonly isUnknown?: boolean;
  /** The names of triggers, rules, child tables and functions of the operator. */
  readonly allow?: readonly string[];
}

/**
 * Returns how a schema differs. A trigger, rule, child table or function that is not ours can undo what our statements write, so it
 * is a fault unless its name is one of `allow`. In an unknown schema, only tables, columns and functions can be missing: a later
 * step may change them, and put others in the place of indexes, constraints and triggers.
 */
export function differences(
  found: Catalogue,
  { expected, isUnknown = false, allow = [] }: Comparison,
): Differences {
  const faults = Object.entries(expected).flatMap(([name, definition]) => {
    const [kind = '', of] = name.split(/[ .(]/);
    const is = found[name];
    if (is === definition || (isUnknown && (is !== undefined || !/table|column|function/.test(kind)))) {
      return [];
    }
    // A table takes along what it has.
    if (!/table|function/.test(kind) && found[`table ${of}`] === undefined) return [];
    return `${shown(name)} is ${is === undefined ? 'missing' : `\`${is}\` (expected \`${definition}\`)`}`;
  });
  const additions = Object.keys(found).filter((name) => !(name in expected));
  const isIntruder = (name: string): boolean => runsBeside(name, expected);
  const intruders = isUnknown ? [] : additions.filter(isIntruder);
  const isAllowed = (name: string): boolean => allow.includes(ownNameOf(name));
  const refused = intruders.filter((name) => !isAllowed(name));
  return {
    faults: [
      ...faults,
      ...refused.map((name) => `${shown(name)} is not of Eaas (\`${removalOf(name)}\` takes it away)`),
    ],
    others: additions.filter((name) => !intruders.includes(name)).map(shown),
    allowed: intruders.filter(isAllowed).map(shown),
  };
}

/** Such as `column eaas.keys.name`. Names are what somebody gave them: nothing of them moves a cursor. */
const shown = (name: string): string => escapeHidden(name.replace(' ', ' eaas.').replace(/\(.*/, ''));

/** Whether something runs beside our statements, or is read with our rows: only where it is on a table of ours, or a function. */
function runsBeside(name: string, expected: Catalogue): boolean {
  const [, kind = '', table = ''] = /^(\w+) (\w*)/.exec(name) ?? [];
  return kind === 'function' || (/^(?:trigger|rule|child)$/.test(kind) && `table ${table}` in expected);
}

/** The name that a person gave it: of a trigger without that of its table, and of a child table with its schema. */
const ownNameOf = (name: string): string =>
  name.startsWith('function ')
    ? name.replace(/^function |\(.*$/g, '')
    : name.slice(name.indexOf('.') + 1).replaceAll('"', '');

/** The statement that takes away what is not ours. */
function removalOf(name: string): string {
  const [kind = ''] = name.split(' ', 1);
  const quoted = `"${ownNameOf(name).replaceAll('"', '""')}"`;
  const [, table = ''] = /^\w+ (\w+)\./.exec(name) ?? [];
  const statements: Readonly<Record<string, string>> = {
    function: `drop function eaas.${quoted}${/\(.*$/s.exec(name)?.[0] ?? '()'}`,
    trigger: `drop trigger ${quoted} on eaas.${table}`,
    rule: `drop rule ${quoted} on eaas.${table}`,
    child: `alter table ${name.slice(name.indexOf('.') + 1)} no inherit eaas.${table}`,
  };
  return escapeHidden(statements[kind] ?? '');
}
