// Writes a response by its schema in pieces, so that a long list does not block the thread.
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

/**
 * Yields after each member of a list. The encoding of a long text would block the thread, so a long text is encoded in
 * portions and returned as bytes.
 */
export function* serialize(
  route: string,
  schema: Endpoint['output'],
  output: object,
): Generator<undefined, string | Buffer> {
  const text = new PortionedText();
  let separator = '';
  text.add('{');
  for (const [name, field] of Object.entries(schema.shape)) {
    const value: unknown = Reflect.get(output, name);
    const isList = field instanceof z.ZodMiniArray && Array.isArray(value);
    const single = isList ? '[' : stringify(route, [name], field, value);
    if (single === undefined) continue;
    text.add(`${separator}${JSON.stringify(name)}:${single}`);
    separator = ',';
    if (!isList) continue;
    for (const [index, member] of value.entries()) {
      text.add(index === 0 ? '' : ',');
      text.add(stringify(route, [name, index], field._zod.def.element, member) ?? 'null');
      yield;
    }
    text.add(']');
  }
  text.add('}');
  return text.end();
}

const portion = 64 * 1024;

class PortionedText {
  #text = '';
  readonly #encoded: Buffer[] = [];

  add(text: string): void {
    this.#text += text;
    if (this.#text.length < portion) return;
    this.#encoded.push(Buffer.from(this.#text));
    this.#text = '';
  }

  end(): string | Buffer {
    if (this.#encoded.length === 0) return this.#text;
    return Buffer.concat([...this.#encoded, Buffer.from(this.#text)]);
  }
}

/** Whether an output of the schema has a list. */
export function hasList({ shape }: Endpoint['output']): boolean {
  return Object.values(shape).some((field) => field instanceof z.ZodMiniArray);
}

/** Whether the output takes so long to serialize that the responses of one append must not all be written at once. */
export function hasLongText(output: object): boolean {
  return Object.values(output).some((value: unknown) => typeof value === 'string' && value.length > 2 * 1024);
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
