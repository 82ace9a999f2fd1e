import type { RangeSource } from '@eaas/protocol/stream';

/** What is used of a FileHandle, as `open` of node:fs/promises answers it. */
export interface ReadableHandle {
  /** How long the file is. */
  stat(): Promise<{ readonly size: number }>;
  /** Reads so many bytes from a position. */
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

const pieceLength = 262_144;

/** The parts of a file on disk. The handle stays yours to close, when nothing is read any more. */
export async function handleSource(handle: ReadableHandle): Promise<RangeSource> {
  const { size } = await handle.stat();
  return { size, read: (start, end) => streamOf(handle, start, end) };
}

function streamOf(handle: ReadableHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const buffer = new Uint8Array(Math.min(pieceLength, end - at));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
        if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
        at += bytesRead;
        if (bytesRead === 0 || at === end) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
