// Every public call with arguments of wrong kinds, with values that were passed by mistake, and with misspelt options.
import { inspect } from 'node:util';
import { some } from '@eaas/test-kit/cases';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bytesOf } from '../../test/observed-client.ts';
import { type PublicCall, publicCalls } from '../../test/public-calls.ts';
import { EaasError, type EaasEvent, InputError } from '../index.ts';

const single = [null, undefined, true, 7, -1, Number.NaN, 10n, '', 'text', () => undefined];
const wrong: readonly unknown[] = [...single, new Uint8Array(3), [], [null], [undefined], {}, { unknown: 1 }];
const mistakes = ['Ada Lovelace', 'kq3JmP9xQz', '4111111111111111', 4111111111111111];

const events: EaasEvent[] = [];
const calls = await publicCalls((event) => void events.push(event));

// Replaces the default of the option `fetch`, so that these tests do not use the network.
beforeAll(() => void vi.stubGlobal('fetch', async () => new Response(null, { status: 404 })));
afterAll(() => void vi.unstubAllGlobals());

/** A whole argument of a call, or one property of an argument. */
interface Place {
  readonly at: number;
  readonly name?: string;
  readonly usual: unknown;
}

function placesOf({ args }: PublicCall): Place[] {
  return args().flatMap((usual, at) => {
    const members: [string, unknown][] = isPlain(usual) ? Object.entries(usual) : [];
    const whole: Place[] = [{ at, usual }];
    return whole.concat(members.map(([name, of]) => ({ at, name, usual: of })));
  });
}

/** The arguments of a call with another value in one place. */
function changed({ args }: PublicCall, { at, name }: Pick<Place, 'at' | 'name'>, value: unknown): unknown[] {
  const given = args();
  return given.with(at, name === undefined ? value : { ...(given[at] as object), [name]: value });
}

test.each(calls)('with arguments of wrong kinds, $name succeeds or throws EaasError', async (of) => {
  const cases = placesOf(of).flatMap((place) => wrong.map((value) => ({ place, value })));
  // Where a function is expected, every function is a correct value.
  const isRight = (of: unknown, value: unknown) => typeof of === 'function' && typeof value === 'function';
  const failures: string[] = [];
  for (const { place, value } of some(8, cases)) {
    if (place.name !== undefined && isRight(place.usual, value)) continue;
    for (const error of await errorsOf(of, changed(of, place, value)))
      if (!(error instanceof EaasError)) failures.push(`${inspect([place, value])}: ${String(error)}`);
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
};

test.each(calls)('no error and no event of $name shows a value that was passed by mistake', async (of) => {
  const isQuotable = ({ at, name, usual }: Place, mistake: unknown): boolean =>
    quotable[of.name]?.includes(name ?? at) === true ||
    name === 'normalize' ||
    // An error shows a number where a number was expected.
    (typeof mistake === 'number' && typeof usual === 'number');
  const cases = mistakes.flatMap((mistake) =>
    placesOf(of)
      .filter((place) => !isQuotable(place, mistake))
      .flatMap((place) =>
        [mistake, [mistake], { nested: mistake }].map((value) => ({ place, value, mistake })),
      ),
  );
  const leaks: string[] = [];
  for (const { place, value, mistake } of some(10, cases)) {
    events.length = 0;
    const errors = await errorsOf(of, changed(of, place, value));
    const shown = inspect([errors, events], { depth: 9, showHidden: true });
    if (shown.includes(String(mistake))) leaks.push(`${inspect(place)}: ${shown}`);
  }
  expect(leaks).toEqual([]);
});

test('every public call accepts valid arguments', async () => {
  const refused: string[] = [];
  for (const of of calls)
    for (const error of await errorsOf(of, of.args()))
      if (!(error instanceof EaasError) || error.code === 'input')
        refused.push(`${of.name}: ${String(error)}`);
  expect(refused).toEqual([expect.stringMatching(/^nodeRequestOf: /)]);
});

/** Calls whose last object has names that the app chose, or methods. */
const withoutOptions = /^(?:defineFields|a table|keyIds|searchableBy)$/;

test.each(calls.filter(({ name, args }) => args().some(isPlain) && !withoutOptions.test(name)))(
  'a misspelt option is refused by $name',
  async (of) => {
    const args = changed(of, { at: of.args().findLastIndex(isPlain), name: 'contxt' }, 1);
    const message = expect.stringContaining('has no option `contxt`') as string;
    expect(await errorsOf(of, args)).toEqual([expect.objectContaining({ code: 'input', message })]);
  },
);

const withKeyId = calls.flatMap((of) => {
  const name = /^(?:keys|audit)\./.test(of.name) ? 'key_id' : 'keyId';
  const at = of.args().findIndex((given) => isPlain(given) && name in given);
  // An intake knows its only key, and says which one it is.
  return at < 0 || of.name === 'intake.wrap' ? [] : [{ ...of, place: { at, name } }];
});

test.each(withKeyId)('a key id that is not a UUID is refused by $name', async ({ place, ...of }) => {
  const refusal =
    `\`${place.name}\` must be a UUID (got text of 8 characters): ` +
    'pass the `key_id` that `keys.create` returned';
  expect(await errorsOf(of, changed(of, place, 'patients'))).toEqual([new InputError(refusal)]);
});

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
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
  if (readable instanceof ReadableStream)
    return bytesOf(new Blob(['x']).stream().pipeThrough(result as TransformStream));
  if (typeof next !== 'function') return result;
  const steps = result as AsyncGenerator;
  await steps.next();
  await steps.return(undefined);
  return undefined;
}
