/** As many bytes of plaintext as a chunk has. */
export const chunk = 65_536;
export const contentOf = (length: number) => Uint8Array.from({ length }, (_, i) => i * 7 + (i >> 8));
export const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b);

export const sourceOf = (bytes: Uint8Array) => ({
  size: bytes.length,
  read: (start: number, end: number) => bytes.subarray(start, end),
});

export async function sendThrough(
  stream: TransformStream<Uint8Array, Uint8Array>,
  chunks: Iterable<Uint8Array>,
): Promise<{ chunks: Uint8Array[]; content: Uint8Array; error?: unknown }> {
  const out: Uint8Array[] = [];
  try {
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    for await (const chunk of source.pipeThrough(stream)) out.push(chunk);
    return { chunks: out, content: Buffer.concat(out) };
  } catch (error) {
    return { chunks: out, content: Buffer.concat(out), error };
  }
}

export function piecesOf(content: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (content.length + 1)).sort((a, b) => a - b), content.length];
  return places.slice(1).map((end, index) => content.subarray(places[index], end));
}
