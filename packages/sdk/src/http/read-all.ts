// Reads the bodies of responses and requests, whose length is announced by nobody who can be trusted.

/**
 * Reads a stream. Throws the error that `tooLarge` returns as soon as there are more than `most` bytes, and gives the
 * stream up then, and when the signal aborts.
 */
export async function readAll(
  stream: ReadableStream<Uint8Array>,
  most: number,
  tooLarge: () => Error,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const giveUp = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', giveUp, { once: true });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length <= most) continue;
    giveUp();
    throw tooLarge();
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
