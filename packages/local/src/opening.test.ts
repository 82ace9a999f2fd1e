// How many questions are asked, and how long a call waits, with a key service that is slow, refuses, or never answers.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bytesOf, shared } from './opening.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const open = {};
const never = (): Promise<never> => new Promise(() => {});
const signal = new AbortController().signal;
const sealed = new Uint8Array([1, 2, 3]);

/** A key service that answers as `answer` says, with `calls` that share it, and the ends of these calls. */
function play(answer: (question: number, signal: AbortSignal) => Promise<object>) {
  const ask = vi.fn((asked: AbortSignal) => answer(ask.mock.calls.length, asked));
  const opened = shared(ask);
  const ends: { at: number; with: unknown }[] = [];
  const end = (result: unknown) => void ends.push({ at: performance.now(), with: result });
  const calls = async (times: number, milliseconds = 0) => {
    for (let at = 0; at < times; at++) void opened().then(end, end);
    await vi.advanceTimersByTimeAsync(milliseconds);
  };
  return { ask, ends, calls };
}

test('1,000 calls share one question, and its answer stays', async () => {
  const { ask, ends, calls } = play(() => new Promise((resolve) => setTimeout(resolve, 300, open)));
  await calls(1_000, 300);
  await calls(1);
  expect([ask.mock.calls.length, ends.length, new Set(ends.map((one) => one.with))]).toEqual([
    1,
    1_001,
    new Set([open]),
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a failure answers all calls for a second, and then one of them asks again', async () => {
  const start = performance.now();
  const { ask, ends, calls } = play(async () => {
    if (performance.now() - start < 2_500) throw new Error('denied');
    return open;
  });
  for (let at = 0; at < 3_000; at += 50) await calls(10, 50);
  expect([ask.mock.calls.length, new Set(ends.map((one) => String(one.with)))]).toEqual([
    3,
    new Set(['Error: denied']),
  ]);
  await calls(1);
  expect([ask.mock.calls.length, ends.at(-1)?.with]).toEqual([4, open]);
});

test('a question that never ends holds nobody for more than two seconds, and its late failure changes nothing', async () => {
  const { ask, ends, calls } = play(async (question) => (question === 1 ? never() : open));
  const start = performance.now();
  await calls(100, 1_000);
  await calls(100, 1_000);
  expect([ask.mock.calls.length, ends.length, new Set(ends.map(({ at }) => at - start))]).toEqual([
    2,
    200,
    new Set([2_000]),
  ]);
  await vi.advanceTimersByTimeAsync(10_000);
  await calls(1);
  expect([ask.mock.calls.length, ends.at(-1)?.with]).toEqual([2, open]);
});

test('a key service that never answers is asked every two seconds while somebody waits, and aborted after ten', async () => {
  const { ask, ends, calls } = play(never);
  await calls(1, 9_999);
  expect([ask.mock.calls.length, ends.length]).toEqual([5, 0]);
  await vi.advanceTimersByTimeAsync(60_000);
  const message = '`open` of `localService` took longer than 10 s';
  expect(ends).toMatchObject([{ with: { code: 'unavailable', retryable: true, message } }]);
  expect(ask.mock.calls.map(([asked]) => asked.aborted)).toEqual(Array.from({ length: 5 }, () => true));
  expect(vi.getTimerCount()).toBe(0);
});

test('the first answer wins, also over that of an earlier question', async () => {
  const answers: ((answer: object) => void)[] = [];
  const { ends, calls } = play(() => new Promise((resolve) => answers.push(resolve)));
  await calls(1, 2_000);
  answers[1]?.(open);
  await calls(0);
  answers[0]?.({ another: true });
  await calls(1);
  expect(ends.map((one) => one.with === open)).toEqual([true, true]);
});

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
  [Array.from({ length: 32 }, () => 7), 'an Array'],
])(
  'a result of `open` that is not 32 bytes is an InputError, which says what came, and quotes nothing',
  async (result, got) => {
    const message = expect.stringContaining(
      ` of 32 bytes (got ${got}): if the key service answers in base64, decode it`,
    ) as string;
    const refused = bytesOf(() => result as Uint8Array, sealed, signal);
    await expect(refused).rejects.toMatchObject({ name: 'InputError', message });
  },
);

test.each([
  [Object.assign(new Error('arn:secret'), { name: 'AccessDeniedException' }), ' (AccessDeniedException)'],
  [Object.assign(new Error('arn:secret'), { name: 'secret of 7' }), ''],
  ['secret', ''],
])('what `open` throws is the cause of an error whose text has only its name: %s', async (cause, name) => {
  const error = await bytesOf(() => Promise.reject(cause), sealed, signal).catch((caught: unknown) => caught);
  const message = `\`open\` of \`localService\` failed${name}; \`cause\` of this error says why`;
  expect(error).toMatchObject({ code: 'unavailable', status: 503, message, cause });
  expect(JSON.stringify(error)).not.toContain('secret');
});
