import { InputError } from '@eaas/protocol';
import { parseJson } from '@eaas/protocol/wire';
import { Refusal } from './refusal.ts';

/** The body as JSON, strictly. Throws the 415, the 413 as soon as it is known, the 408 and the 400. */
export async function readJson(request: Request, limit: number, signal: AbortSignal): Promise<unknown> {
  checkBodyType(request.headers);
  return parse(await readBytes(request, limit, signal));
}

// A form of another site cannot send this type, and a script of one only after a preflight, which is never granted.
function checkBodyType(headers: Headers): void {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  const type = headers.get('content-type') ?? '';
  if (!/^application\/json[ \t]*(?:;[ \t]*(?:charset="?utf-8"?[ \t]*)?)?$/i.test(type)) {
    throw new Refusal(
      'unsupported_media_type',
      'Send the body as JSON, with `Content-Type: application/json`.',
    );
  }
}

async function readBytes(request: Request, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const tooLarge = () =>
    new Refusal('too_large', `The body is larger than ${limit / 1024 / 1024} MiB: send less in one call.`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  if (request.bodyUsed)
    throw new InputError('authorize has read the body: it may read that of `request.clone()`');
  if (!request.body) return new Uint8Array(0);
  const reader = request.body.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const { done, value } = await reader.read().catch(cut);
      if (signal.aborted) throw tooSlow();
      if (done) return joined(chunks, length);
      length += value.length;
      if (length > limit) throw tooLarge();
      chunks.push(value);
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
    giveUp();
  }
}

function cut(): never {
  throw new Refusal('bad_request', 'The connection closed before the body had arrived.');
}

function tooSlow(): Refusal {
  const status = { status: 408, title: 'Request Timeout' };
  return new Refusal('bad_request', 'The request did not arrive in time: send it again.', status);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function parse(bytes: Uint8Array): unknown {
  let text: string;
  try {
    // ignoreBOM keeps a leading U+FEFF, which JSON then refuses.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal('bad_request', 'The body is not valid UTF-8.');
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new Refusal(
      'bad_request',
      sentence(error instanceof Error ? error.message : 'the body is not JSON'),
    );
  }
}

/** A reason as a sentence. */
export function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
