// Makes a builder of Drizzle a statement of the encrypted database. Each time it runs, a copy of the builder has what the
// statement reads and writes besides, one walk over its SQL finds what is late, and Drizzle sends the copy.
import type { SQL } from 'drizzle-orm';
import { withoutHandles } from '@eaas/sdk/internal';
import type { Access } from './access.ts';
import { refuseToBuild, unknownRow, withoutParameters } from './error.ts';
import { isSettled, newRun, type Run, settle } from './late.ts';
import { withoutRawSearch } from './raw.ts';
import { open, type Reading } from './results.ts';
import { type Scope, walk } from './walk.ts';

export type Method = (...args: unknown[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;

export interface Builder {
  readonly config: unknown;
  readonly dialect: object;
  readonly authToken?: unknown;
  getSQL(): SQL;
}

/** What a run has in place of the builder's own members, and how it reads the result. */
export interface Shape {
  readonly members: object;
  /** The config with which Drizzle builds the statement inside another one. */
  readonly inner?: object;
  readonly reading: Reading;
  readonly scope: Scope;
  /** Throws what the app gets if the guard of an upsert fails. */
  readonly refuseRow?: (() => never) | undefined;
}

/** Returns the shape of one run. `isOne` if it reads only the first row. */
export type ShapeOf = (run: Run, isOne: boolean) => Shape;

/** A query that Drizzle can run, and the way to open its result. */
export interface Ready extends Pick<Shape, 'refuseRow'> {
  readonly query: unknown;
  readonly open: (result: unknown) => Promise<unknown>;
}

/** The statements that `db.batch` makes ready. */
export const statements = new WeakMap<object, () => Promise<Ready>>();

const running = ['execute', 'run', 'all', 'get'];
const building = ['prepare', '_prepare', 'values', 'iterator', 'sync', 'executeRaw', 'toSQL'];

/**
 * Makes statements ready, and sends them. If the guard of an upsert fails, because a row has come to be since it looked, once
 * more. In a transaction it does not: for PostgreSQL, that is over. No error has the parameters of a statement.
 */
export async function send<Result>(
  make: () => Promise<readonly (Ready | undefined)[]>,
  isLast: boolean,
  run: (ready: readonly (Ready | undefined)[]) => Promise<Result>,
): Promise<Result> {
  let ready: readonly (Ready | undefined)[] = [];
  try {
    ready = await make();
    return await run(ready);
  } catch (error) {
    if (!isOfUnknownRow(error)) throw withoutParameters(error);
    if (!isLast) return send(make, true, run);
    ready.find((each) => each?.refuseRow)?.refuseRow?.();
    throw withoutParameters(error);
  }
}

const isOfUnknownRow = (error: unknown): boolean =>
  error instanceof Error && (error.message.includes(unknownRow.text) || isOfUnknownRow(error.cause));

/** Replaces the methods of a builder that run its statement or build it. `isSync` if only `execute` can wait. */
export function hook(builder: Builder, shapeOf: ShapeOf, access: Access, isSync: boolean): Builder {
  const original = methodsOf(builder);
  const ready = async (method = ''): Promise<Ready> => {
    const run = newRun(access);
    const shape = shapeOf(run, method === 'get');
    const { query, reading } = queryOf(builder, shape);
    // Its rows are those of the driver, which nobody has mapped.
    if (method === 'run' && reading.tables.size > 0) refuseToBuild(method);
    // Throws for a mistake in a table that is not in the schema of the database.
    for (const [table, isShown] of reading.tables) {
      const own = access.tableOf(table);
      if (isShown || run.statement.isRevealed) run.statement.requireUser(own);
    }
    await settle(run);
    return { query, open: async (result) => open(result, reading, run), refuseRow: shape.refuseRow };
  };
  const plainQuery = (method: string): object => {
    const run = newRun(access);
    const { query, reading } = queryOf(builder, shapeOf(run, false));
    if (!isSettled(run) || reading.tables.size > 0) refuseToBuild(method);
    return query;
  };
  const awaited = isSync ? ['execute'] : running;
  for (const method of [...running, ...building]) {
    const own: unknown = Reflect.get(builder, method);
    if (typeof own !== 'function') continue;
    const make = async (): Promise<Ready[]> => [await ready(method)];
    const run = async (values?: unknown): Promise<unknown> =>
      send(make, access.isTransaction ?? false, async ([made]) => {
        const prepared = (original['_prepare'] ?? original['prepare'])?.call(made?.query) as Methods;
        return made?.open(await prepared[method]?.(withoutHandles(values), builder.authToken));
      });
    const build = (...args: unknown[]): unknown => Reflect.apply(own, plainQuery(method), args);
    Reflect.set(builder, method, awaited.includes(method) ? run : build);
  }
  builder.getSQL = () => {
    const run = newRun(access);
    const { inner: config = builder.config } = shapeOf(run, false);
    // What it writes is not encrypted yet.
    if (!isSettled(run)) refuseToBuild('getSQL');
    return original['getSQL']?.call(Object.assign(Object.create(builder), { config })) as SQL;
  };
  statements.set(builder, async () => ready());
  return builder;
}

const methodsOf = (builder: object): Methods => Object.getPrototypeOf(builder) as Methods;

/** Drizzle's methods that build more than SQL, which the query needs again when it runs. */
const builders = [
  'buildInsertQuery',
  'buildRelationalQuery',
  'buildRelationalQueryWithoutPK',
  'buildRelationalQueryWithoutLateralSubqueries',
];

/**
 * Returns a copy of the builder with late SQL. Drizzle builds it once, because building runs the app's `$defaultFn` and
 * `$onUpdateFn`.
 */
function queryOf(builder: Builder, { members, reading, scope }: Shape): { query: object; reading: Reading } {
  const { getSQL, prepare, _prepare } = methodsOf(builder);
  const dialect = Object.create(builder.dialect) as Record<string, Method>;
  let built: { sql?: SQL } | undefined;
  for (const name of builders) {
    const build = dialect[name];
    if (!build) continue;
    dialect[name] = (given) => {
      built ??= build.call(builder.dialect, given) as { sql?: SQL };
      return built;
    };
  }
  const copy = Object.create(builder) as Builder;
  Object.assign(copy, { getSQL, prepare, _prepare, dialect, ...members });
  const late = walk(withoutRawSearch(copy.getSQL()), scope);
  if (built?.sql) built.sql = late;
  copy.getSQL = () => late;
  return { query: copy, reading };
}
