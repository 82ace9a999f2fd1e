export async function through(
  stream: TransformStream<Uint8Array, Uint8Array>,
  content: Uint8Array,
  pieceLength = 50_000,
): Promise<Uint8Array> {
  let at = 0;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < content.length) controller.enqueue(content.slice(at, (at += pieceLength)));
      else controller.close();
    },
  });
  return gathered(source.pipeThrough(stream));
}

/** Uses a reader: some runtimes cannot iterate streams, and `new Response(stream)` hides the error of a stream. */
export async function gathered(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}
