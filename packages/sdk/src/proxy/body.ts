import { InputError } from '@eaas/protocol';
import { bodyCut, bodyTooLarge, parseBody, requestTimeout, requireBodyType } from '@eaas/protocol/service';
import { type Endpoint, limits } from '@eaas/protocol/wire';

export async function readJson(request: Request, endpoint: Endpoint, signal: AbortSignal): Promise<unknown> {
  const { headers } = request;
  // Accepts only JSON, because forms of other sites cannot send JSON. Scripts of other sites can send JSON only after a
  // preflight, which the proxy refuses.
  requireBodyType({ type: headers.get('content-type'), encoding: headers.get('content-encoding') }, true);
  return parseBody(endpoint, await readBytes(request, limits.body, signal));
}

async function readBytes(request: Request, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw bodyTooLarge(limit);
  if (request.bodyUsed)
    throw new InputError(
      '`authorize` must not read the body of its request, which the proxy reads later: read `request.clone()` instead',
    );
  if (!request.body) return new Uint8Array(0);
  const reader = request.body.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for (let length = 0; ;) {
      const { done, value } = await reader.read().catch(() => {
        throw bodyCut();
      });
      if (signal.aborted) throw requestTimeout();
      if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
      length += value.length;
      if (length > limit) throw bodyTooLarge(limit);
      chunks.push(value);
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
    giveUp();
  }
}
