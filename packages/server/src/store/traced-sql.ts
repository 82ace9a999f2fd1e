import { noteError, telemetry } from '../base/tracing.ts';
import type { Sql } from './sql.ts';

/**
 * Records statements as OpenTelemetry spans. A span names the statement's kind and table, and never contains a
 * parameter.
 */
export function tracedSql<S extends Sql>(sql: S): S {
  return telemetry() ? new Proxy(sql, { apply: (target, self, args) => call(target, self, args) }) : sql;
}

function call(sql: Sql, self: unknown, args: unknown[]): unknown {
  const result: unknown = Reflect.apply(sql, self, args);
  const [parts] = args;
  const isStatement = result instanceof Promise && Array.isArray(parts) && 'raw' in parts;
  return isStatement ? watched(result, kindOf(parts.join(' '))) : result;
}

type Kind = ReturnType<typeof kindOf>;

function kindOf(statement: string) {
  const [, verb = ''] = /^\s*(\w+)/.exec(statement) ?? [];
  const named =
    /\b(?:from|into|update)\s+eaas\.(\w+)/.exec(statement) ?? /^\s*select\s+eaas\.(\w+)/.exec(statement);
  return { verb: verb.toUpperCase(), table: named?.[1] };
}

/**
 * postgres.js sends a statement at the first call of `then`, so the span begins at this call. A query object that is
 * only a part of another statement gets no span, because its `then` is never called.
 */
function watched(query: Promise<unknown>, kind: Kind): Promise<unknown> {
  const send = query.then.bind(query);
  let isSent = false;
  const then = (...handlers: Parameters<typeof send>): ReturnType<typeof send> => {
    if (!isSent) watch(query, kind);
    isSent = true;
    return send(...handlers);
  };
  Reflect.set(query, 'then', then);
  return query;
}

function watch(query: Promise<unknown>, { verb, table }: Kind): void {
  const connected = telemetry();
  if (!connected?.api.trace.getActiveSpan()) return;
  const { api, tracer } = connected;
  const span = tracer.startSpan(table === undefined ? verb : `${verb} ${table}`, {
    kind: api.SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': verb,
      ...(table !== undefined && { 'db.collection.name': table }),
    },
  });
  const fail = (error: unknown): void => {
    noteError(span, error);
    span.end();
  };
  // The span ends together with the query. `query.then` would also send the query, so this code calls
  // `Promise.prototype.then`, which only waits.
  void Promise.prototype.then.call(query, () => span.end(), fail);
}
