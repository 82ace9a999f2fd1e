// Reads inputs in pieces. A file stays open until the work on it ends, and a link in a folder is not followed.
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { ReadableStream as WebStream } from 'node:stream/web';
import { inLine } from '@eaas/protocol/internal';
import type { Run } from './command.ts';
import { CannotStart, FileFailure } from './failure.ts';
import { type Input, standard } from './inputs.ts';
import type { Progress } from './progress.ts';

const pieceLength = 262_144;

/** What a command reads: standard input, a pipe, or a file that stays open as long as the command works on it. */
export interface Source {
  readonly pieces: AsyncGenerator<Uint8Array>;
  /** Undefined for standard input, pipes and devices. */
  readonly file: OpenFile | undefined;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
  /** The permissions, without the setuid and setgid bits. */
  readonly mode: number;
}

export async function withSource<T>(
  { stop: { signal }, progress }: Pick<Run, 'stop' | 'progress'>,
  { path, isInFolder, isFile }: Input,
  work: (source: Source) => Promise<T>,
  followsLink = !isInFolder,
): Promise<T> {
  const file = isFile ? await openFile(path, followsLink) : undefined;
  // The file stays open until the work is done, so that no other file can have its inode.
  const options = { start: 0, highWaterMark: pieceLength, autoClose: false };
  const opened = () =>
    file?.handle.createReadStream(options) ?? createReadStream(path, { highWaterMark: pieceLength });
  const source: Readable = path === standard ? process.stdin : opened();
  // Without an `error` handler, Node.js ends the process if the stream fails. The iterator reports the error.
  addAbortSignal(signal, source).on('error', () => {});
  try {
    return await work({ pieces: counted(source, progress), file });
  } finally {
    source.destroy();
    await file?.handle.close();
  }
}

/**
 * The flags that open a file without following a link, and without waiting for a writer if a pipe has taken its place.
 * Windows has neither: there both are undefined, which counts as 0.
 */
export const withoutLinks = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file, and looks at the open file and not at the path, which can lead to another file by then. */
async function openFile(path: string, followsLink: boolean): Promise<OpenFile> {
  const flags = constants.O_RDONLY | (followsLink ? constants.O_NONBLOCK : withoutLinks);
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (followsLink || error.code !== 'ELOOP') throw error;
    throw new FileFailure('is a symbolic link: pass the path of the file that it leads to.');
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new FileFailure('is no longer a file.');
    return { handle, size: stats.size, mode: stats.mode & 0o777 };
  } catch (error) {
    await handle.close();
    throw error;
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

/** A stream of the web, which reads nothing before it is asked. */
export const streamOf = (pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  WebStream.from(pieces) as unknown as ReadableStream<Uint8Array>;

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
