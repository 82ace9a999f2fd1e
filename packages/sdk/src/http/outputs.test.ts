import { type Endpoint, endpoints, type Route } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import kinds from './output-kinds.json' with { type: 'json' };
import { isName, isOutput, namesSameKeys } from './outputs.ts';
import ofPages from './page-kinds.json' with { type: 'json' };

interface Definition {
  readonly type: string;
  readonly shape: Readonly<Record<string, Schema>>;
  readonly element: Schema;
  readonly innerType: Schema;
  readonly options: readonly Schema[];
  readonly entries: Readonly<Record<string, string>>;
  readonly values: readonly unknown[];
}
interface Schema {
  readonly _zod: { readonly def: object };
}

/** Returns values that fit a schema. Together, the values contain every alternative of the schema, such as null. */
function samplesOf({ _zod }: Schema): unknown[] {
  const { type, shape, element, innerType, options, entries, values } = _zod.def as Definition;
  switch (type) {
    case 'object': {
      const members = Object.entries(shape).map(([name, member]) => [name, samplesOf(member)] as const);
      const most = Math.max(...members.map(([, samples]) => samples.length));
      return Array.from({ length: most }, (_, nth) =>
        Object.fromEntries(members.map(([name, samples]) => [name, samples[nth % samples.length]])),
      );
    }
    case 'array':
      return [samplesOf(element), []];
    case 'nullable':
      return [...samplesOf(innerType), null];
    case 'optional':
      return [...samplesOf(innerType), undefined];
    case 'union':
      return options.flatMap(samplesOf);
    case 'enum':
      return [Object.values(entries)[0]];
    case 'literal':
      return [values[0]];
    case 'string':
      return ['ab'.repeat(32)];
    case 'number':
      return [7];
    case 'boolean':
      return [true, false];
    case 'record':
      return [{ nth: '1' }, {}];
    default:
      throw new Error(`no sample of the type ${type}`);
  }
}

/** Yields copies of a value. In each copy, one member, at any depth, is missing or has another type. */
function* spoiled(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const others: unknown[] = [typeof member === 'string' ? 7 : [[7]], {}, null, undefined, 0.5, 'true'];
    if (typeof member === 'string') others.pop();
    for (const other of [...others, ...spoiled(member)]) {
      const copy: unknown = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
      Reflect.set(copy as object, name, other);
      yield copy;
    }
  }
}

/** Removes members that the client does not read: `type` and `title` of an error, and `reference`. */
function readMembers(value: unknown): unknown {
  return JSON.stringify(value, (name, member: unknown) =>
    /^(reference|type|title)$/.test(name) ? undefined : member,
  );
}

const routes = Object.keys(endpoints) as Route[];
const outputs = [false, true].flatMap((forUser) =>
  routes.flatMap((route) => {
    const { output, userOutput }: Endpoint = endpoints[route];
    const schema = forUser ? userOutput : output;
    return schema ? [{ name: forUser ? `${route} of a user` : route, route, output: schema, forUser }] : [];
  }),
);

describe.each(outputs)('$name', ({ route, output, forUser }) => {
  const samples = samplesOf(output);

  test('valid responses are accepted, also with further members', () => {
    const longer = samples.map((sample) => Object.assign({ added: 'later' }, sample));
    const all = [...samples, ...longer];
    expect(all.filter((sample) => !output.safeParse(sample).success)).toEqual([]);
    expect(all.filter((sample) => !isOutput(route, sample, kinds, forUser))).toEqual([]);
  });

  test('a response in which a member is missing or has the wrong type is refused', () => {
    const others = samples.flatMap((sample) =>
      [...spoiled(sample)].filter((other) => readMembers(other) !== readMembers(sample)),
    );
    const invalid = others.filter((other) => !output.safeParse(other).success);
    expect(invalid.length).toBeGreaterThan(0);
    expect(invalid.filter((other) => isOutput(route, other, kinds, forUser))).toEqual([]);
    const valid = others.filter((other) => !invalid.includes(other));
    expect(valid.filter((other) => !isOutput(route, other, kinds, forUser))).toEqual([]);
  });

  test.each([null, undefined, [], 'text', 1, {}])(
    'a response that is not the expected object is refused: %j',
    (other) => {
      expect(isOutput(route, other, kinds, forUser)).toBe(false);
    },
  );
});

test('pages know some of the kinds that clients with an API key know', () => {
  expect(kinds).toMatchObject(ofPages);
});

test('hashes are 64 lower-case hexadecimal digits', () => {
  const route = 'POST /v1/hash';
  const hash = 'ab'.repeat(32);
  expect(isOutput(route, { hash, key_id: 'k' })).toBe(true);
  for (const other of [hash.toUpperCase(), hash.slice(1), `${hash}0`, `${hash}\n`, `${hash.slice(1)}g`, '']) {
    expect(isOutput(route, { hash: other, key_id: 'k' })).toBe(false);
    expect(isOutput('POST /v1/batch/hash', { results: [{ hash: other, key_id: 'k' }] })).toBe(false);
  }
});

test('a name has 1 to 64 letters, digits, hyphens and underscores, and contains no API key', () => {
  for (const name of ['a', 'request-1_B', 'x'.repeat(64)]) expect(isName(name)).toBe(true);
  for (const other of ['', 'x'.repeat(65), 'a b', ' a', 'a\n', 'a.b', 'x-eaas_sk_1', 1, null]) {
    expect(isName(other)).toBe(false);
  }
});

test.each([
  [true, { key_id: 'A1' }, { key_id: 'a1' }],
  [true, { value: 'x' }, { key_id: 'b' }],
  [false, { key_id: 'a' }, { key_id: 'b' }],
  [false, { api_key_id: 'a' }, { api_key_id: 'b' }],
  [false, { issuer_id: 'a' }, { issuer_id: 'b' }],
  [false, { items: [{ key_id: 'a' }, { key_id: 'a' }] }, { results: [{ key_id: 'a' }, { key_id: 'b' }] }],
])(
  'that both name the same keys is %s for the request %j and the response %j',
  (isSame, request, response) => {
    expect(namesSameKeys(request, response)).toBe(isSame);
  },
);
