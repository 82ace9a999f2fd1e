/**
 * Limits the memory that a response takes. The largest responses of the service are pages of the audit log, of about
 * 4 MiB, and batches, of about 3 MiB.
 */
export const maxBytes = 16 * 2 ** 20;

/** Reads the body of a response. If the body has more than `maxBytes`, throws the error that `tooLarge` returns. */
export async function readText(
  response: Response,
  signal: AbortSignal,
  tooLarge: () => Error,
): Promise<string> {
  const { body } = response;
  // Empty responses have no body stream. In React Native, no response has a body stream.
  if (!body) return response.text();
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > maxBytes) {
      cancel();
      throw tooLarge();
    }
    text += decoder.decode(value, { stream: true });
  }
}
