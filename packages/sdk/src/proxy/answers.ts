import type { Answered } from './calls.ts';
import { Refusal } from './refusal.ts';

const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** The answer to a call that was made. */
export function succeed({ output, requestId }: Answered): Response {
  return answer(200, 'application/json', output, requestId, {});
}

/** The answer to a call that was not. */
export function refuse({ problem, requestId }: Refusal): Response {
  const more = {
    ...(problem.status === 405 && { allow: 'POST' }),
    ...(problem.status === 503 && { 'retry-after': '1' }),
  };
  return answer(problem.status, 'application/problem+json', problem, requestId, more);
}

/** What the app's operator has been told of, and nobody else is. */
export function broken(): Refusal {
  return new Refusal('internal', 'The app failed in a way that it did not expect.');
}

function answer(
  status: number,
  type: string,
  body: object,
  requestId: string | undefined,
  more: Readonly<Record<string, string>>,
): Response {
  const id = requestId === undefined ? {} : { 'x-request-id': requestId };
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...always, 'content-type': type, ...id, ...more },
  });
}
