import type { IncomingMessage } from 'node:http';
import { Refusal } from '../refusal.ts';
import { SlowRequest } from './problems.ts';

/** So many bytes of bodies may be on their way at a time, in all; the next is told to come later. */
const mostHeld = 256 * 1024 * 1024;
let held = 0;

/** A body of which nothing arrives for so many milliseconds is given up. */
const stall = 4_000;

/** Whether the request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
  );
}

/** Throws the 415 unless the body's type can be read: JSON in UTF-8, and not compressed. */
export function checkBodyType(request: IncomingMessage, needsJson: boolean): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  const type = request.headers['content-type'] ?? '';
  if (needsJson && !/^application\/json[ \t]*(?:;[ \t]*(?:charset="?utf-8"?[ \t]*)?)?$/i.test(type)) {
    throw new Refusal(
      'unsupported_media_type',
      'Send the body as JSON, with `Content-Type: application/json`.',
    );
  }
}

/** The bytes of the body. Throws the 413 above `limit`, as soon as it is known, and SlowRequest on a stall. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = () =>
    new Refusal('too_large', `The body is larger than ${limit / 1024 / 1024} MiB: send less in one call.`);
  const tooMany = () =>
    new Refusal('unavailable', 'The service is reading as much as it can hold; try again in a moment.');
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stalled = setTimeout(() => settle(new SlowRequest()), stall);
    const settle = (error?: Error) => {
      clearTimeout(stalled);
      held -= length;
      request.off('data', take).off('end', settle).off('error', cut).off('close', cut);
      // What still comes is thrown away, so that the client gets to read its answer.
      if (error) request.resume();
      if (error) reject(error);
      else resolve(Buffer.concat(chunks, length));
    };
    const take = (chunk: Buffer) => {
      stalled.refresh();
      length += chunk.length;
      held += chunk.length;
      if (length > limit) settle(tooLarge());
      else if (held > mostHeld) settle(tooMany());
      else chunks.push(chunk);
    };
    const cut = () =>
      settle(new Refusal('bad_request', 'The connection closed before the body had arrived.'));
    request.on('data', take).on('end', settle).on('error', cut).on('close', cut);
  });
}
