import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { inLine } from '@eaas/protocol/internal';
import type { Run } from './command.ts';
import { CannotStart } from './failure.ts';
import { type Input, standard } from './inputs.ts';
import type { Progress } from './progress.ts';

const pieceLength = 262_144;

export async function withPieces<T>(
  { stop: { signal }, progress }: Pick<Run, 'stop' | 'progress'>,
  { path }: Input,
  work: (pieces: AsyncGenerator<Uint8Array>) => Promise<T>,
): Promise<T> {
  const source: Readable =
    path === standard ? process.stdin : createReadStream(path, { highWaterMark: pieceLength });
  // Without an `error` handler, Node.js ends the process if the stream fails. The iterator reports the error.
  addAbortSignal(signal, source).on('error', () => {});
  try {
    return await work(counted(source, progress));
  } finally {
    source.destroy();
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>, progress: Progress): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    progress.add(piece.length);
    yield piece;
  }
}

export async function peek(
  pieces: AsyncGenerator<Uint8Array>,
  length: number,
): Promise<{ readonly beginning: Uint8Array; readonly all: AsyncGenerator<Uint8Array> }> {
  let beginning = new Uint8Array(0);
  for (let isDone: boolean | undefined; !isDone && beginning.length < length;) {
    const next = await pieces.next();
    isDone = next.done;
    if (!next.done) beginning = new Uint8Array(Buffer.concat([beginning, next.value]));
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    if (beginning.length > 0) yield beginning;
    yield* pieces;
  }
  return { beginning, all: all() };
}

/** Returns all bytes in one Buffer, or undefined if there are more bytes than the limit `most`. */
export async function collect(pieces: AsyncIterable<Uint8Array>, most: number): Promise<Buffer | undefined> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > most) return undefined;
    all.push(piece);
  }
  return Buffer.concat(all);
}

export function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

const maxKeyFile = 67_108_864;

export async function readKeyFile(path: string): Promise<string> {
  const pieces: AsyncIterable<Uint8Array> = createReadStream(path, { end: maxKeyFile });
  const bytes = await collect(pieces, maxKeyFile).catch((error: NodeJS.ErrnoException) => {
    throw new CannotStart(
      `${inLine(path)} cannot be read (${error.code}): check its path and its permissions.`,
    );
  });
  if (bytes) return bytes.toString('utf8');
  throw new CannotStart(
    `${inLine(path)} must be the file of a key, of at most 64 MiB (got a larger file): check the path.`,
  );
}
