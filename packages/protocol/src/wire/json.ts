import { InputError } from '../errors.ts';
import type { Steps } from '../steps.ts';
import { type BatchItem, BatchScan } from './batch-scan.ts';
import { JsonScan, notJson } from './json-scan.ts';

/** The number of bytes between two pauses of the parser: at most about a millisecond of work. */
const step = 16 * 1024;
const largeText = 256 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const loneSurrogate = 'a string has a lone surrogate: it is not valid Unicode';

/**
 * Parses a JSON body strictly. Throws InputError for invalid JSON or UTF-8, a duplicate name or a lone surrogate, and if
 * a limit in `limits` is exceeded. Yields regularly, so that the caller can pause and a large body does not delay other
 * requests.
 */
export function* readJson(bytes: Uint8Array): Steps<unknown> {
  const scan = new JsonScan(bytes);
  while (scan.scan(step)) yield;
  const value = yield* parsePart(bytes, notJson);
  if (!scan.isWellFormed) throw new InputError(loneSurrogate);
  return value;
}

/**
 * Parses a batch, calls `take` for each item, and returns the results in order. Throws InputError if the body itself is
 * invalid. `fault` is the reason why an item is refused, or null. Of an item that exceeds a limit, `take` gets only the
 * `reference`. Yields regularly, so that the caller can pause.
 */
export function* readBatch<Taken>(
  bytes: Uint8Array,
  take: (item: unknown, fault: string | null) => Taken,
): Steps<Taken[]> {
  const scan = new BatchScan(bytes);
  while (scan.scan(step)) yield;
  const taken: Taken[] = [];
  const all = parseItems(bytes, scan.items);
  for (const [index, { start, end, fault, exceedsLimit, isWellFormed, reference }] of scan.items.entries()) {
    if (exceedsLimit) taken.push(take({ reference }, fault));
    else {
      const item = all
        ? all[index]
        : yield* parsePart(bytes.subarray(start, end), `${notJson}: see \`items[${index}]\``);
      taken.push(take(item, fault ?? (isWellFormed ? null : loneSurrogate)));
    }
    yield;
  }
  return taken;
}

/**
 * Parses all items at once, which is twice as fast as one by one. Returns undefined for a large body, invalid JSON, or
 * an item that exceeds a limit. The caller then parses the items one by one, and can name the invalid item.
 */
function parseItems(bytes: Uint8Array, items: readonly BatchItem[]): readonly unknown[] | undefined {
  if (bytes.length > largeText || items.some(({ exceedsLimit }) => exceedsLimit)) return undefined;
  try {
    const body: unknown = JSON.parse(decode(bytes));
    const all: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'items') : undefined;
    return Array.isArray(all) && all.length === items.length ? all : undefined;
  } catch {
    return undefined;
  }
}

function* parsePart(bytes: Uint8Array, reason: string): Steps<unknown> {
  const text = decode(bytes);
  if (bytes.length > largeText) yield;
  try {
    return JSON.parse(text);
  } catch {
    throw new InputError(reason);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new InputError('the request body must be valid UTF-8');
  }
}
