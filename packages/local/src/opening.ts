// Asks the key service of an app for what opens its keys: one question for all calls, and another if it takes long. The local
// service loads this file at the first call, if it was given `open`.
import { InputError } from '@eaas/protocol';
import { isBytes, kindOf, ServiceError } from '@eaas/protocol/internal';

/**
 * Opens 32 bytes that a key service sealed. Gets a copy of the sealed bytes, and a signal that aborts after 10 seconds. Its result
 * is copied at once, and not changed.
 */
export type Open = (
  sealed: Uint8Array<ArrayBuffer>,
  options: { readonly signal: AbortSignal },
) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/** For how long a question may take, in milliseconds. */
const longest = 10_000;
/** After this time, who waits for a question asks another. Its connection may hang, or the request that asked it may be over. */
const patience = 2_000;
/** For how long a failure answers every call, so that a key service that refuses is not flooded. */
const pause = 1_000;

/** Returns what `ask` returns. Many calls share one question, whose first answer stays. */
export function shared<T extends object>(ask: (signal: AbortSignal) => Promise<T>): () => Promise<T> {
  const asked = new Set<Promise<void>>();
  let begunAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let answer: T | undefined;
  let failure: unknown;

  async function question(): Promise<void> {
    begunAt = performance.now();
    const stop = new AbortController();
    const tooLate = (): never => {
      stop.abort();
      throw unavailable('took longer than 10 s');
    };
    try {
      const found = await firstOf([ask(stop.signal)], longest, tooLate);
      answer ??= found;
    } catch (error) {
      failure = error;
      failedAt = performance.now();
      throw error;
    }
  }

  return async () => {
    while (!answer) {
      const now = performance.now();
      if (now - failedAt < pause) throw failure;
      if (asked.size === 0 || now - begunAt >= patience) {
        const one = question().finally(() => asked.delete(one));
        asked.add(one);
      }
      await firstOf(asked, begunAt + patience - now, () => {});
    }
    return answer;
  };
}

/** Settles as the first of some answers, or as `over` after a time. The timer is the caller's: in a Worker, that of others can end. */
async function firstOf<T>(answers: Iterable<Promise<T>>, milliseconds: number, over: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  }).then(over);
  return Promise.race([...answers, late]).finally(() => clearTimeout(timer));
}

/** Has the app open sealed bytes, and returns a copy of the result, which the caller wipes. */
export async function bytesOf(open: Open, sealed: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  let opened: unknown;
  try {
    opened = await open(new Uint8Array(sealed), { signal });
  } catch (error) {
    // Its message may say what nobody should read in a log.
    const [name] = /^[A-Z][A-Za-z]{2,63}$/.exec(String((error as Partial<Error> | undefined)?.name)) ?? [];
    throw unavailable(`failed${name ? ` (${name})` : ''}; \`cause\` of this error says why`, {
      cause: error,
    });
  }
  if (isBytes(opened) && opened.length === 32) return new Uint8Array(opened);
  throw new InputError(
    `\`open\` of \`createLocalService\` must return a Uint8Array of 32 bytes (got ${kindOf(opened)}): if the key service answers ` +
      'in base64, decode it',
  );
}

const unavailable = (what: string, options: ErrorOptions = {}): ServiceError =>
  new ServiceError('unavailable', `\`open\` of \`createLocalService\` ${what}`, { ...options, status: 503 });
