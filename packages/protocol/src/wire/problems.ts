import * as z from 'zod/mini';
import { count } from './primitives.ts';

/** Every problem of the service: its code, HTTP status and title. */
export const problems = {
  bad_request: { status: 400, title: 'Bad Request' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  permission_missing: { status: 403, title: 'Forbidden' },
  origin_refused: { status: 403, title: 'Forbidden' },
  envelope_only: { status: 403, title: 'Forbidden' },
  wrapped_key_unauthentic: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not Found' },
  method_not_allowed: { status: 405, title: 'Method Not Allowed' },
  name_taken: { status: 409, title: 'Conflict' },
  key_state: { status: 409, title: 'Conflict' },
  conflict: { status: 409, title: 'Conflict' },
  too_large: { status: 413, title: 'Content Too Large' },
  unsupported_media_type: { status: 415, title: 'Unsupported Media Type' },
  decryption_failed: { status: 422, title: 'Decryption Failed' },
  quota_exceeded: { status: 429, title: 'Quota Exceeded' },
  audit_unwritten: { status: 500, title: 'Internal Server Error' },
  internal: { status: 500, title: 'Internal Server Error' },
  unavailable: { status: 503, title: 'Service Unavailable' },
} as const;

/** The code of a problem. Problem codes never change. */
export type ProblemCode = keyof typeof problems;

/** The body of every error response (application/problem+json, RFC 9457). */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  /** A sentence that explains the problem and says what the client can do next. */
  readonly detail: string;
  readonly code: ProblemCode;
}

/** Returns the problem document of a problem code. */
export function problem(code: ProblemCode, detail: string): Problem {
  const { title, status } = problems[code];
  return { type: 'about:blank', title, status, detail, code };
}

/** The schema of a problem document. */
export const problemDocument = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: count,
  detail: z.string(),
  code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
});
