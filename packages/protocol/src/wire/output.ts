// What a caller is shown of an answer: the members that the schema of the output names, and no others. The service made the
// answer, so it is not parsed again: a member that is missing, or of another type, is a fault of the service. Doors call it.
import type * as z from 'zod/mini';
import type { Endpoint } from './endpoint.ts';

type Show = (value: unknown) => unknown;

/** A member of an output. `item` shows the items of a list. */
export interface Member {
  readonly name: string;
  readonly show: Show;
  readonly item: Show | undefined;
}

/** An answer is not as its schema says. The text names the member and never its value, which might be secret. */
export class Misfit extends Error {
  override readonly name = 'Misfit';
  readonly path: (string | number)[] = [];
}

/** Makes what shows the members of an output. */
export const membersOf = ({ shape }: Endpoint['output']): Member[] =>
  Object.entries(shape).map(([name, field]) => {
    const def = definitionOf(field);
    return { name, show: showOf(field), item: def.type === 'array' ? showOf(def.element) : undefined };
  });

/** Shows a member or an item of an answer. Throws Misfit, which names it. */
export function shown(show: Show, value: unknown, name: string | number): unknown {
  try {
    return show(value);
  } catch (error) {
    if (error instanceof Misfit) error.path.unshift(name);
    throw error;
  }
}

/** Shows an answer whole. Throws Misfit. */
export function shownMembers(members: readonly Member[], value: object): object {
  const all: Record<string, unknown> = {};
  for (const { name, show } of members) {
    const member = shown(show, (value as Readonly<Record<string, unknown>>)[name], name);
    if (member !== undefined) all[name] = member;
  }
  return all;
}

/** What zod says of a type. */
const definitionOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def;

/** What `typeof` says of values of simple types. */
const kinds = { record: 'object', boolean: 'boolean', enum: 'string', literal: 'string', string: 'string' };

function showOf(schema: z.core.$ZodType): Show {
  const def = definitionOf(schema);
  if (def.type === 'object') return showObject(def);
  if (def.type === 'union') return showOneOf(def.options);
  if (def.type === 'array') {
    const item = showOf(def.element);
    return (value) => (Array.isArray(value) ? value.map((one, nth) => shown(item, one, nth)) : misfit());
  }
  if (def.type === 'nullable' || def.type === 'optional') {
    const none = def.type === 'nullable' ? null : undefined;
    const show = showOf(def.innerType);
    return (value) => (value === none ? none : show(value));
  }
  if (def.type === 'unknown') return (value) => value;
  if (def.type === 'number') return (value) => (Number.isSafeInteger(value) ? value : misfit());
  const type = kinds[def.type as keyof typeof kinds];
  return (value) => (typeof value === type && value !== null ? value : misfit());
}

function showObject({ shape, catchall }: z.core.$ZodObjectDef): Show {
  const members = membersOf({ shape } as Endpoint['output']);
  const isOpen = catchall?._zod.def.type === 'unknown';
  return (value) => {
    if (typeof value !== 'object' || value === null) return misfit();
    return isOpen ? value : shownMembers(members, value);
  };
}

/** The first whose names the value has, as far as they are not optional. */
function showOneOf(options: readonly z.core.$ZodType[]): Show {
  const all = options.map((option) => {
    const { shape } = (option as z.core.$ZodObject)._zod.def;
    const names = Object.keys(shape).filter((name) => shape[name]?._zod.def.type !== 'optional');
    return { names, show: showOf(option) };
  });
  return (value) => {
    const one = all.find(({ names }) => names.every((name) => Object.hasOwn(Object(value), name)));
    return one ? one.show(value) : misfit();
  };
}

function misfit(): never {
  throw new Misfit();
}
