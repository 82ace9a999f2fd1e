import type { RangeSource } from '@eaas/protocol/stream';

/** The parts of a Blob or a File. */
export function blobSource(blob: Blob): RangeSource {
  return { size: blob.size, read: (start, end) => blob.slice(start, end).stream() };
}
