import type { Endpoint } from '@eaas/protocol/wire';
import * as z from 'zod/mini';

/** This error contains only the path of the invalid field, because the value might be secret. */
class OutputError extends Error {
  override readonly name = 'OutputError';
  readonly code: string;
  constructor(route: string, path: readonly PropertyKey[]) {
    super('the operation returned output that does not match its schema');
    this.code = `${route} ${path.map(String).join('.')}`.replace(/\W+/g, '_').slice(0, 64);
  }
}

export function* serialize(
  route: string,
  schema: Endpoint['output'],
  output: object,
): Generator<undefined, string> {
  const fields: string[] = [];
  for (const [name, field] of Object.entries(schema.shape)) {
    const value: unknown = Reflect.get(output, name);
    let text: string | undefined;
    if (field instanceof z.ZodMiniArray && Array.isArray(value)) {
      const members: string[] = [];
      for (const [index, member] of value.entries()) {
        members.push(stringify(route, [name, index], field._zod.def.element, member) ?? 'null');
        yield;
      }
      text = `[${members.join(',')}]`;
    } else text = stringify(route, [name], field, value);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

export function hasList({ shape }: Endpoint['output']): boolean {
  return Object.values(shape).some((field) => field instanceof z.ZodMiniArray);
}

function stringify(
  route: string,
  path: readonly PropertyKey[],
  schema: z.core.$ZodType,
  value: unknown,
): string | undefined {
  const { success, data, error } = z.safeParse(schema, value);
  if (!success) throw new OutputError(route, [...path, ...(error.issues[0]?.path ?? [])]);
  return JSON.stringify(data);
}
