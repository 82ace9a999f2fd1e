import type { Answer } from '../conformance/client.ts';

/** Returns a response in full, except that request id and date are removed and the requested id is masked. */
export function comparable({ status, headers, text }: Answer, id: string): object {
  const own = new Set(['x-request-id', 'date']);
  return {
    status,
    headers: Array.from(headers).filter(([name]) => !own.has(name)),
    text: text.replaceAll(id, '<id>'),
  };
}
