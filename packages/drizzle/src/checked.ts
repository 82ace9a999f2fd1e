import { holdsCiphertext } from '@eaas/sdk/fields';
import { refuseCiphertext } from './opening.ts';

// Even a statement without encrypted columns can return a ciphertext, for example from a view.

type Method = (...args: readonly unknown[]) => unknown;

export function checked(result: unknown): unknown {
  const { rows = result } = Object(result) as { rows?: unknown };
  if (holdsCiphertext(rows)) refuseCiphertext(undefined);
  return result;
}

const running = ['execute', 'all', 'get', 'values', 'iterator', 'sync', 'executeRaw'];

export function checkedLater(returned: unknown): unknown {
  if (typeof returned !== 'object' || returned === null) return returned;
  if ('then' in returned) return (returned as PromiseLike<unknown>).then(checked);
  if (Symbol.asyncIterator in returned) return checkedRows(returned as AsyncIterable<unknown>);
  if (!('execute' in returned)) return checked(returned);
  const methods = running.flatMap((name) => {
    const method: unknown = Reflect.get(returned, name);
    if (typeof method !== 'function') return [];
    const run: Method = (...args) => checkedLater(Reflect.apply(method, returned, args));
    return [[name, run] as const];
  });
  return Object.assign(returned, Object.fromEntries(methods));
}

async function* checkedRows(rows: AsyncIterable<unknown>): AsyncGenerator {
  for await (const row of rows) yield checked(row);
}
