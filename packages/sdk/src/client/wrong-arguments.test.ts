import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bytesOf } from '../../test/observed-client.ts';
import { type PublicCall, publicCalls } from '../../test/public-calls.ts';
import { some } from '@eaas/test-kit/cases';
import { EaasError, type EaasEvent, InputError } from '../index.ts';

const wrong: readonly unknown[] = [
  null,
  7,
  -1,
  Number.NaN,
  '',
  'text',
  true,
  10n,
  undefined,
  [],
  [null],
  [undefined],
  {},
  { unknown: 1 },
  () => undefined,
  new Uint8Array(3),
];

const events: EaasEvent[] = [];
const calls = await publicCalls((event) => void events.push(event));

// Replaces the default of the option `fetch`, so that these tests do not use the network.
beforeAll(() => void vi.stubGlobal('fetch', async () => new Response(null, { status: 404 })));
afterAll(() => void vi.unstubAllGlobals());

test.each(calls)('with arguments of wrong kinds, $name succeeds or throws EaasError', async (of) => {
  const failures: string[] = [];
  for (const { args, what } of some(12, [...casesOf(of)])) {
    for (const error of await errorsOf(of, args)) {
      if (!(error instanceof EaasError)) failures.push(`${what}: ${String(error)}`);
    }
  }
  expect(failures).toEqual([]);
});

/**
 * Arguments that an error may quote: the names of tables, columns and failures, which are part of the code of the app,
 * and the ids of rows, which are not secret. A FieldError names its row, so that the app can find it.
 */
const quotable: Readonly<Record<string, readonly (number | string)[]>> = {
  encryptRow: [0, 1],
  encryptRows: [0],
  decryptRow: [0, 1, 'as'],
  decryptRows: [0, 'as'],
  where: [0],
  decryptNested: ['table', 'as'],
  checkConstraints: [1],
  describeFields: [1],
  'service.failNext': [0, 'route'],
};

const mistakes = ['Ada Lovelace', 'kq3JmP9xQz', '4111111111111111', 4111111111111111];

test.each(calls)('no error and no event of $name shows a value that was passed by mistake', async (of) => {
  const leaks: string[] = [];
  const cases = mistakes.flatMap((mistake) =>
    Array.from(mistaken(of, mistake), (one) => ({ ...one, mistake })),
  );
  for (const { args, what, mistake } of some(16, cases)) {
    events.length = 0;
    const shown = inspect([await errorsOf(of, args), events], { depth: 9, showHidden: true });
    if (shown.includes(String(mistake))) leaks.push(`${what}: ${shown}`);
  }
  expect(leaks).toEqual([]);
});

/** Yields argument lists with one mistake each. */
function* mistaken(of: PublicCall, mistake: string | number): Generator<{ args: unknown[]; what: string }> {
  const forms = [mistake, [mistake], { nested: mistake }];
  const isQuotable = (place: number | string, usual: unknown, value: unknown): boolean =>
    quotable[of.name]?.includes(place) === true ||
    place === 'normalize' ||
    // An error shows a number where a number was expected.
    (typeof value === 'number' && typeof usual === 'number');
  for (const [at, given] of of.args().entries()) {
    for (const value of [mistake, [mistake]]) {
      if (!isQuotable(at, given, value)) yield { args: of.args().with(at, value), what: `argument ${at}` };
    }
    if (!isPlain(given)) continue;
    for (const [name, usual] of Object.entries(given)) {
      for (const value of forms) {
        if (isQuotable(name, usual, value)) continue;
        const changed = { ...(of.args()[at] as object), [name]: value };
        yield { args: of.args().with(at, changed), what: `\`${name}\` of argument ${at}` };
      }
    }
  }
}

test('every public call accepts valid arguments', async () => {
  const refused: string[] = [];
  for (const of of calls) {
    for (const error of await errorsOf(of, of.args())) {
      if (!(error instanceof EaasError) || error.code === 'input')
        refused.push(`${of.name}: ${String(error)}`);
    }
  }
  expect(refused).toEqual([expect.stringMatching(/^nodeRequestOf: /)]);
});

/** Calls whose last object has names that the app chose, or methods. */
const withoutOptions = /^(?:handleSource|defineFields|describeFields|a table|keyIds|searchableBy)$/;

test.each(calls.filter(({ name, args }) => args().some(isPlain) && !withoutOptions.test(name)))(
  'a misspelt option is refused by $name',
  async (of) => {
    const at = of.args().findLastIndex(isPlain);
    const args = of.args().with(at, { ...(of.args()[at] as object), contxt: 1 });
    const message = expect.stringContaining('has no option `contxt`') as string;
    expect(await errorsOf(of, args)).toEqual([expect.objectContaining({ code: 'input', message })]);
  },
);

const withKeyId = calls.flatMap((of) => {
  const option = /^(?:keys|audit)\./.test(of.name) ? 'key_id' : 'keyId';
  const at = of.args().findIndex((given) => isPlain(given) && option in given);
  // An intake knows its only key, and says which one it is.
  return at < 0 || of.name === 'intake.wrap' ? [] : [{ ...of, at, option }];
});

test.each(withKeyId)('a key id that is not a UUID is refused by $name', async (of) => {
  const { at, option } = of;
  const args = of.args().with(at, { ...(of.args()[at] as object), [option]: 'patients' });
  const refusal =
    `\`${option}\` must be a UUID (got text of 8 characters): ` +
    'pass the `key_id` that `keys.create` returned';
  expect(await errorsOf(of, args)).toEqual([new InputError(refusal)]);
});

/**
 * Yields argument lists with one wrong value each. The wrong value replaces a whole argument, or one property of an
 * argument.
 */
function* casesOf({ args }: PublicCall): Generator<{ args: unknown[]; what: string }> {
  for (const [at, given] of args().entries()) {
    const names = isPlain(given) ? Object.keys(given) : [];
    for (const value of wrong) {
      yield { args: args().with(at, value), what: `argument ${at} is ${shown(value)}` };
      for (const name of names) {
        // Skips this value: where a function is expected, every function is a correct value.
        if (typeof value === 'function' && typeof (given as Record<string, unknown>)[name] === 'function')
          continue;
        const changed = args().with(at, { ...(args()[at] as object), [name]: value });
        yield { args: changed, what: `\`${name}\` of argument ${at} is ${shown(value)}` };
      }
    }
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function shown(value: unknown): string {
  return inspect(value);
}

async function errorsOf({ call }: PublicCall, args: readonly unknown[]): Promise<unknown[]> {
  try {
    const result = await (call as (...args: readonly unknown[]) => unknown)(...args);
    const list = Array.isArray(result) ? result : [await outputOf(result)];
    return list.flatMap((item: unknown) => {
      const { ok, error } = Object(item) as { ok?: boolean; error?: unknown };
      return ok === false && error !== undefined ? [error] : [];
    });
  } catch (error) {
    return [error];
  }
}

/** Reads the result if it is a stream or an async generator, because these can throw errors while they are read. */
async function outputOf(result: unknown): Promise<unknown> {
  const { stream, next, readable } = Object(result) as Record<string, unknown>;
  if (result instanceof ReadableStream) return bytesOf(result);
  if (stream instanceof ReadableStream) return bytesOf(stream);
  if (readable instanceof ReadableStream) {
    return bytesOf(new Blob(['x']).stream().pipeThrough(result as TransformStream));
  }
  if (typeof next !== 'function') return result;
  const steps = result as AsyncGenerator;
  await steps.next();
  await steps.return(undefined);
  return undefined;
}
