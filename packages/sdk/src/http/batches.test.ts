import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { retryAtOnce } from '@eaas/test-kit/retry-at-once';
import { runs } from '@eaas/test-kit/cases';
import { coalesce } from './batches.ts';
import { type SdkError, ServiceError } from '../index.ts';
import type { Call, CallOptions } from './transport.ts';

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
interface Input {
  readonly value: string;
  readonly items?: readonly { readonly value: string; readonly reference: string }[];
}
const echo = (results: readonly object[], items: Input['items']): object[] =>
  results.map((result, index) => Object.assign({ reference: items?.[index]?.reference }, result));
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Returns a function that asks for hashes in batches, which `call` answers. */
function hashing(call: (route: string, input: Input) => Promise<unknown>, retries = 2) {
  const hash = coalesce(call as unknown as Call, 'POST /v1/hash', { total: 30_000, retries });
  return (value: string, options?: CallOptions) => hash({ key_id: 'k', value }, options);
}

test('a batch is sent while fake timers of Jest replace `queueMicrotask`', async () => {
  const hash = hashing(async (_, input) => input);
  vi.stubGlobal('queueMicrotask', () => undefined);
  const sent = hash('x');
  vi.unstubAllGlobals();
  expect(await sent).toEqual({ key_id: 'k', value: 'x' });
});

test('if JSON cannot represent the input of one call, the other calls of the batch succeed', async () => {
  const hash = hashing(async (_, input) => input);
  const results = await Promise.allSettled([hash(1n as never), hash('x')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('each call of a batch gets its result, even if other calls are aborted', async () => {
  const step = fc.record({
    calls: fc.integer({ min: 0, max: 30 }),
    aborted: fc.array(fc.integer({ min: 0, max: 29 }), { maxLength: 3 }),
    wait: fc.boolean(),
  });
  const plan = fc.record({
    steps: fc.array(step, { maxLength: 8 }),
    batches: fc.boolean(),
    slow: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ steps, batches, slow }) => {
      const sent: string[] = [];
      const hash = hashing(async (route, input) => {
        if (slow) await later();
        const missing = new ServiceError('not_found', 'none', { status: 404 });
        if (route.includes('batch') && !batches) throw missing;
        const items = input.items ?? [input];
        sent.push(...items.map(({ value }) => value));
        const results = items.map(({ value }) =>
          value.endsWith('7') ? { error: { code: 'key_state', detail: value } } : { hash: value },
        );
        if (input.items) return { results: echo(results, input.items) };
        const [only] = results;
        if (only?.error) throw new ServiceError('key_state', input.value);
        return only;
      });
      const outcomes: Promise<{ asked: unknown; told: unknown }>[] = [];
      let number = 0;
      for (const { calls, aborted, wait } of steps) {
        const controllers = range(calls).map(() => new AbortController());
        for (const controller of controllers) {
          const value = `${number++}`;
          const refused = { code: value.endsWith('7') ? 'key_state' : 'none', message: value };
          const answered = hash(value, controller).then(
            (output) => ({ asked: value, told: output.hash }),
            ({ code, message }: SdkError) =>
              code === 'aborted'
                ? { asked: controller.signal.aborted, told: true }
                : { asked: refused, told: { code, message } },
          );
          outcomes.push(answered);
        }
        if (wait) await later();
        for (const index of aborted) controllers[index]?.abort();
      }
      for (const { asked, told } of await Promise.all(outcomes)) expect(told).toEqual(asked);
      expect(new Set(sent).size).toBe(sent.length);
    }),
    { numRuns: runs(60) },
  );
});

test('a service without a batch endpoint is asked for a batch only once', async () => {
  const asked: string[] = [];
  const hash = hashing(async (route, { value }) => {
    asked.push(route);
    if (route.includes('batch')) throw new ServiceError('not_found', 'none', { status: 404 });
    return { hash: value };
  });
  for (const values of [
    ['a', 'b'],
    ['c', 'd'],
  ]) {
    expect(await Promise.all(values.map((value) => hash(value)))).toEqual(values.map((of) => ({ hash: of })));
  }
  expect(asked.filter((route) => route.includes('batch'))).toHaveLength(1);
});

test('a call that waits while a service turns out to have no batches is answered', async () => {
  let answer = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const hash = hashing(async (route, { value }) => {
    if (!route.includes('batch')) return { hash: value };
    await late;
    throw new ServiceError('not_found', 'none', { status: 404 });
  });
  const calls: Promise<unknown>[] = [];
  // Four batches are sent at a time, so the fifth waits.
  for (const values of ['ab', 'cd', 'ef', 'gh', 'ij']) {
    calls.push(...Array.from(values, (value) => hash(value)));
    await later();
  }
  answer();
  expect(await Promise.all(calls)).toEqual(Array.from('abcdefghij', (value) => ({ hash: value })));
});

describe('items that the service refuses in a batch', () => {
  const setUp = (status: number, failures: number) => {
    const sent: string[][] = [];
    const left = new Map<string, number>();
    const hash = hashing(async (_, input) => {
      const values = (input.items ?? [input]).map(({ value }) => value);
      sent.push(values);
      const results = values.map((value) => {
        const times = left.get(value) ?? (value === 'bad' ? failures : 0);
        left.set(value, times - 1);
        return times > 0 ? { error: { status, code: 'audit_unwritten', detail: 'Again.' } } : { hash: value };
      });
      const [only] = results;
      if (input.items) return { results: echo(results, input.items) };
      if (only && 'error' in only) throw new ServiceError('audit_unwritten', 'Again.', { status });
      return only;
    });
    return { sent, ask: (value: string) => hash(value).catch(({ code }: ServiceError) => code) };
  };

  retryAtOnce();

  test.each([500, 502, 503, 504])(
    'a batch item that failed with %i is sent again in a separate request',
    async (status) => {
      const { sent, ask } = setUp(status, 1);
      const results = await Promise.all(['a', 'bad', 'b'].map(ask));
      expect(results).toMatchObject([{ hash: 'a' }, { hash: 'bad' }, { hash: 'b' }]);
      expect(sent).toEqual([['a', 'bad', 'b'], ['bad']]);
    },
  );

  test('a batch item that failed with 409 is not sent again', async () => {
    const { sent, ask } = setUp(409, 1);
    expect(await Promise.all(['a', 'bad'].map(ask))).toMatchObject([{ hash: 'a' }, 'audit_unwritten']);
    expect(sent).toHaveLength(1);
  });

  test('a call fails if its batch item fails more often than `retries` allows', async () => {
    const { ask } = setUp(500, 10);
    expect(await Promise.all(['a', 'bad'].map(ask))).toMatchObject([{ hash: 'a' }, 'audit_unwritten']);
  });
});

test('the items that a batch tries again wait for the same backoff as single calls', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const at: number[] = [];
  const hash = hashing(async (_, { items }) => {
    at.push(Date.now());
    const error = { status: 503, code: 'unavailable', detail: 'Again.' };
    return { results: echo([{ error }, { error }], items) };
  }, 5);
  const failed = Promise.allSettled([hash('a'), hash('b')]);
  await vi.advanceTimersByTimeAsync(20_000);
  await failed;
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(at.slice(1).map((time, nth) => time - (at[nth] ?? 0))).toEqual([150, 300, 600, 1_000, 1_000]);
});

test('a batch has at most 1,000 items and about 1 MiB', async () => {
  const sizes: number[] = [];
  const lengths: number[] = [];
  const hash = hashing(async (_, input) => {
    const { items = [input] } = input;
    lengths.push(items.length);
    sizes.push(new TextEncoder().encode(JSON.stringify(input)).length);
    const results = items.map(() => ({ hash: 'x' }));
    return input.items ? { results: echo(results, input.items) } : results[0];
  });
  const ask = (count: number, value: string) => Promise.all(range(count).map(() => hash(value)));
  await ask(2_500, 'x');
  expect(lengths).toEqual([1_000, 1_000, 500]);
  await ask(40, '\u20ac'.repeat(20_000));
  expect(lengths.slice(3)).toEqual([17, 17, 6]);
  expect(Math.max(...sizes)).toBeLessThan(1.1 * 2 ** 20);
});

describe('a service that confuses the results of a batch', () => {
  const hashes = (change: (results: object[]) => object[]) => {
    const sent: Input[] = [];
    const hash = hashing(async (_, input) => {
      sent.push(input);
      const items = input.items ?? [];
      const results = items.map(({ value }) => ({ hash: value }));
      return { results: change(echo(results, items)) };
    });
    return { sent, ask: (values: string[]) => Promise.allSettled(values.map((value) => hash(value))) };
  };

  test.each<[string, (results: object[]) => object[]]>([
    ['swaps two results', ([a = {}, b = {}, ...rest]) => [b, a, ...rest]],
    ['repeats a result', ([a = {}, , ...rest]) => [a, a, ...rest]],
    ['omits a result', (results) => results.slice(1)],
    ['adds a result', (results) => [...results, {}]],
    ['omits a reference', ([a = {}, ...rest]) => [{ ...a, reference: undefined }, ...rest]],
  ])('no call of the batch gets a result if the service %s', async (_, change) => {
    const settled = await hashes(change).ask(['a', 'b', 'c']);
    const refused = { status: 'rejected', reason: { code: 'invalid_response' } };
    expect(settled).toMatchObject([refused, refused, refused]);
  });

  test('no call gets a result of another batch', async () => {
    const first: object[] = [];
    const { ask } = hashes((results) => {
      if (first.length === 0) first.push(...results);
      return first;
    });
    expect((await ask(['a', 'b'])).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect((await ask(['c', 'd'])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('each item of a batch has its own short reference, and a single call has no reference', async () => {
    const { sent, ask } = hashes((results) => results);
    await ask(range(1_000).map(String));
    const references = sent[0]?.items?.map(({ reference }) => reference) ?? [];
    expect(new Set(references).size).toBe(1_000);
    expect(references.filter((reference) => !/^\d{1,10}$/.test(reference))).toEqual([]);
    await ask(['alone']);
    expect(sent[1]).toEqual({ key_id: 'k', value: 'alone' });
  });
});
