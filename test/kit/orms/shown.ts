import { Concealed } from '@eaas/sdk/fields';

/** Returns a result with the values of its handles, at any depth. */
export async function shown<Result>(result: PromiseLike<Result>): Promise<Result> {
  return (await valuesIn(await result)) as Result;
}

async function valuesIn(value: unknown): Promise<unknown> {
  if (value instanceof Concealed) return value.reveal();
  if (Array.isArray(value)) return Promise.all(value.map(valuesIn));
  if (Object.prototype.toString.call(value) !== '[object Object]') return value;
  const members = Object.entries(Object(value)).map(async ([name, each]) => [name, await valuesIn(each)]);
  return Object.fromEntries((await Promise.all(members)) as [string, unknown][]);
}
