// How many questions are asked, and how long a call waits, with a key service that is slow, refuses, or never answers.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bytesOf, shared } from './opening.ts';

/** Timers that `opening.ts` has set, and that neither fired nor were cleared. Other files of tests may have timers of their own. */
const pending = new Set<unknown>();

beforeEach(() => {
  vi.useFakeTimers();
  pending.clear();
  const { setTimeout: begin, clearTimeout: end } = globalThis;
  vi.stubGlobal('setTimeout', (work: () => void, milliseconds: number) => {
    const timer = begin(() => {
      pending.delete(timer);
      work();
    }, milliseconds);
    const isOurs = /\/opening\.ts\b/.test(new Error('where it was set').stack ?? '');
    if (isOurs) pending.add(timer);
    return timer;
  });
  vi.stubGlobal('clearTimeout', (timer: ReturnType<typeof begin>) => {
    pending.delete(timer);
    end(timer);
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const [open, another] = [{ name: 'open' }, { name: 'another' }];
const never = (): Promise<never> => new Promise(() => {});
const after = <T>(milliseconds: number, value: T) =>
  new Promise<T>((resolve) => setTimeout(() => resolve(value), milliseconds));

/** A key service that answers as `answer` says, calls that share it, and how many questions they made, and how they ended. */
function play(answer: (question: number, at: number) => Promise<object>) {
  const start = performance.now();
  const now = () => performance.now() - start;
  const signals: AbortSignal[] = [];
  const opened = shared((signal) => answer(signals.push(signal), now()));
  const ends = new Map<string, number>();
  const calls = async (times: number, milliseconds = 0): Promise<[number, object]> => {
    for (let at = 0; at < times; at++) {
      void opened().then(
        ({ name }: { name?: string }) =>
          ends.set(`${name} at ${now()}`, (ends.get(`${name} at ${now()}`) ?? 0) + 1),
        (error: Error) => ends.set(error.message, (ends.get(error.message) ?? 0) + 1),
      );
    }
    await vi.advanceTimersByTimeAsync(milliseconds);
    return [signals.length, Object.fromEntries(ends)];
  };
  return { calls, signals };
}

test('1,000 calls share one question, and its answer stays', async () => {
  const { calls } = play(() => after(300, open));
  expect(await calls(1_000, 400)).toEqual([1, { 'open at 300': 1_000 }]);
  expect(await calls(1)).toEqual([1, { 'open at 300': 1_000, 'open at 400': 1 }]);
  expect(pending).toEqual(new Set());
});

test('a failure answers all calls for a second, and then one of them asks again', async () => {
  const { calls } = play((_, at) =>
    at < 2_500 ? Promise.reject(new Error('denied')) : Promise.resolve(open),
  );
  for (let at = 0; at < 2_950; at += 50) await calls(10, 50);
  expect(await calls(10, 50)).toEqual([3, { denied: 600 }]);
  expect(await calls(10)).toEqual([4, { denied: 600, 'open at 3000': 10 }]);
});

test('a question that never ends holds nobody for more than two seconds, and neither its late end nor its failure counts', async () => {
  for (const first of [never, () => after(2_500, another)]) {
    const { calls } = play((question) => (question === 1 ? first() : Promise.resolve(open)));
    await calls(100, 1_000);
    expect(await calls(100, 1_000)).toEqual([2, { 'open at 2000': 200 }]);
    await calls(0, 10_000);
    expect(await calls(1)).toEqual([2, { 'open at 2000': 200, 'open at 12000': 1 }]);
  }
});

test('a key service that never answers is asked every two seconds while somebody waits, and aborted after ten', async () => {
  const { calls, signals } = play(never);
  expect(await calls(1, 9_999)).toEqual([5, {}]);
  expect(await calls(0, 60_000)).toEqual([5, { '`open` of `createLocalService` took longer than 10 s': 1 }]);
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(5);
  expect(pending).toEqual(new Set());
});

const { signal } = new AbortController();
const sealed = new Uint8Array([1, 2, 3]);

test('`open` gets a copy, and its result is copied and stays as it is', async () => {
  const own = new Uint8Array(32).fill(7);
  (await bytesOf((bytes) => (bytes.fill(0), own), sealed, signal)).fill(0);
  expect([sealed, own]).toEqual([new Uint8Array([1, 2, 3]), new Uint8Array(32).fill(7)]);
});

const base64 = Buffer.alloc(32, 7).toString('base64');
test.each([
  [base64, 'a string'],
  [Buffer.from(base64), 'a Uint8Array of 44 bytes'],
  [undefined, 'undefined'],
])(
  'a result of `open` that is not 32 bytes is refused with what came, and is not quoted',
  async (result, got) => {
    const message = `32 bytes (got ${got}): if the key service answers in base64, decode it`;
    const refused = bytesOf(() => result as Uint8Array, sealed, signal);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ name: 'InputError' });
  },
);

test.each([
  [Object.assign(new Error('arn:secret'), { name: 'AccessDeniedException' }), ' (AccessDeniedException)'],
  [Object.assign(new Error('arn:secret'), { name: 'secret of 7' }), ''],
])('what `open` throws is the cause of an error whose text has only its name', async (cause, name) => {
  const error = await bytesOf(() => Promise.reject(cause), sealed, signal).catch((caught: unknown) => caught);
  const message = `\`open\` of \`createLocalService\` failed${name}; \`cause\` of this error says why`;
  expect(error).toMatchObject({ code: 'unavailable', retryable: true, status: 503, message, cause });
  expect(JSON.stringify(error)).not.toContain('secret');
});
