import type { Answer } from '../conformance/client.ts';

/** An answer byte for byte, but for what differs from one to the next: its own id, its time, and the id asked for. */
export function comparable({ status, headers, text }: Answer, id: string): object {
  const own = new Set(['x-request-id', 'date']);
  return {
    status,
    headers: Array.from(headers).filter(([name]) => !own.has(name)),
    text: text.replaceAll(id, '<id>'),
  };
}
