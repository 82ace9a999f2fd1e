// What `check` finds in a table: of its columns, checks and indexes in the catalogue, and of its rows by the beginnings of texts.
import type { progressLine } from '@eaas/protocol/internal';
import type { FieldsClient } from '@eaas/sdk/fields';
import { columnsOf, runnerOf, type SqlDatabase } from '../database.ts';
import type { DefinedTable } from '../definition.ts';
import { dialects, nameIn } from '../dialects.ts';
import { renamedIn } from '../encrypting.ts';
import { headIn, headLength } from '../heads.ts';
import { pagesOf } from '../passes.ts';
import type { RowId } from '../rows.ts';
import { targetOf } from '../source.ts';
import { hasRoom, openTable } from '../table.ts';
import { checksIn, indexOn } from './catalogue.ts';

type Level = DefinedTable['severity'];
export type Finding = ReturnType<typeof compare> extends AsyncGenerator<infer Found> ? Found : never;
type Bar = ReturnType<typeof progressLine>;
/** `client` has the keys of the app, if `check` has them. */
type Seen = { rows: number; milliseconds: number; bar: Bar | undefined; client?: FieldsClient | undefined };

/** Finds what differs, and counts in `seen` what it has read: all rows if it has a bar, and otherwise the first and the last. */
export async function* compare(database: SqlDatabase, defined: DefinedTable, seen: Seen) {
  const { dialect, run } = runnerOf(database, 'check');
  const { schema, name: table, named, checks, severity } = defined;
  const into = nameIn(dialect, { schema, table });
  const known = await columnsOf(run, dialect, { schema, table });
  const unique = [...known.values()].filter(({ isUnique }) => isUnique).map(({ name }) => name);
  const id = unique.find((name) => name === (defined.id ?? 'id')) ?? unique[0];
  const target = targetOf(database, table, { ...defined, id });
  const store = await openTable(target, 'check');
  const texts = await store.described();
  const at = (column: string, message: string, level: Level = 'error') => ({ level, table, column, message });

  for (const [column, { type }] of known) {
    if (!named.includes(column) && column !== id) {
      yield at(column, `expected no such column, found one (${type}): encrypt it, or define it unencrypted`);
    }
  }
  const made = texts.flatMap(checksIn);
  for (const check of severity === 'error' || dialect === dialects.postgresql ? checks : []) {
    const column = named.find((each) => check.startsWith(`check ( ${each} `)) ?? '';
    const found = made.filter((other) => other.includes(` ${column} `)).join(' and ') || 'none';
    if (!made.includes(check)) yield at(column, `expected ${check}, found ${found}: make it`, severity);
  }
  for (const { column, index } of target.plan.fields.flatMap(({ indexes }) => indexes)) {
    const length = Math.ceil(index.bits / 4);
    const type = known.get(column)?.type ?? '';
    if (!hasRoom(type, length)) yield at(column, `expected text of ${length} characters, found ${type}`);
    // SQLite has no index for lists.
    const isIndexed = index.isList && dialect === dialects.sqlite;
    if (!isIndexed && !texts.some((text) => indexOn(column, index.isList).test(text))) {
      yield at(column, 'expected an index that begins with it, found none: create it');
    }
  }

  const renamed = target.plan.fields.filter(({ field }) => field.renamedFrom);
  const lookups = renamed.map((plan) => {
    return { plan, find: seen.client && renamedIn(target, seen.client, [plan]), found: [] as RowId[] };
  });
  const sealed = new Set<string>();
  const others: Record<string, { count: number; readonly first: RowId }> = {};
  const count = seen.bar && (await store.count());
  const first = await store.heads(undefined, 1_000);
  const ids = new Set(first.map((row) => row.id));
  const last = (await store.heads(undefined, 1_000, ' desc')).filter((row) => !ids.has(row.id));
  const all = seen.bar && pagesOf((after) => store.heads(after, 5_000), undefined);
  for await (const rows of all ?? [first, last]) {
    seen.rows += rows.length;
    const whole = lookups.some(({ find }) => find) ? await store.rows(rows.map((row) => row.id)) : [];
    for (const { find, found } of lookups) for (const row of (await find?.(whole)) ?? []) found.push(row.id);
    seen.bar?.show(seen.rows, count, `read ${seen.rows} of ${count} rows of ${table}`);
    for (const { name, field } of target.plan.fields) {
      for (const { id: row, values } of rows) {
        const head = headIn(values[name]);
        if (typeof head === 'object') sealed.add(name);
        else if (head === 'broken' || (head === 'plaintext' && !field.previous)) {
          (others[name] ??= { count: 0, first: row }).count++;
        }
      }
    }
  }
  for (const [column, { count, first }] of Object.entries(others)) {
    yield at(
      column,
      `expected ciphertexts, found ${count} others, first in row ${first}: encrypt them by \`migrate\` in the mode 'encrypt', and find out who writes past Eaas`,
    );
  }
  for (const { plan, find, found } of lookups) {
    const next = plan.field.write ? 'pass `check` the keys of the app' : "add `write: 'present'` at last";
    const old = `${found.length} rows under earlier ones, first ${found[0]}: run the mode 'reencrypt'`;
    if (!find) yield at(plan.name, `expected one name, found \`renamedFrom\`: ${next}`, 'warning');
    else if (found.length > 0) yield at(plan.name, `expected values under its name, found ${old}`);
    else if (seen.bar) yield at(plan.name, 'expected values under `renamedFrom`, found none: remove it');
  }
  for (const { name, indexes } of target.plan.fields.filter(
    (plan) => plan.field.previous && sealed.has(plan.name),
  )) {
    const begun = performance.now();
    const text = dialect.text(dialect.quote(name));
    const isOld = `substr(${text}, 1, 5) <> 'eaasA' or length(${text}) < ${headLength}`;
    const old = await run(`search ${into}`, [`select 1 as one from ${into} where ${isOld} limit 1`]);
    seen.milliseconds += Math.ceil(performance.now() - begun);
    if (old.length > 0) continue;
    const isSearched = indexes.some((index) => index.name === undefined);
    const cost = isSearched ? '. Until then, searches send their values in clear' : '';
    yield at(name, `expected old values, because of \`previous\`, found none: remove it${cost}`);
  }
}
