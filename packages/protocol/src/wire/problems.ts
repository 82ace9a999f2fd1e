// Every reason for which a service refuses a call: the code for programs, the HTTP status, and what the reference says about it.
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
  subject_erased: { status: 409, title: 'Conflict' },
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

/** What each problem code means. Only the reference uses these texts. */
export const problemCauses: Readonly<Record<ProblemCode, string>> = {
  bad_request:
    'Malformed JSON, a missing, unknown or invalid field, base64 that is not canonical, a data key that ' +
    'is not 32 bytes, or an invalid date. `detail` names the field.',
  unauthorized:
    'The API key or token is missing, unknown, expired or revoked. `detail` says since when of an API key, ' +
    'and is the same for all else.',
  permission_missing:
    'The API key lacks the permission, would create a key while it is limited to some keys, or would grant more than it has.',
  origin_refused: 'A browser sent an `Origin` that the API key does not list.',
  envelope_only:
    'The tenant is envelope-only: encrypt locally, with a wrapped data key. `detail` starts with `E_ENVELOPE_ONLY:`.',
  wrapped_key_unauthentic:
    'The `wrapped_key` was altered, or belongs to another key, `context` or `subject`.',
  not_found:
    'The tenant has no such key or API key, a name was sent instead of the UUID, or the path does not exist.',
  method_not_allowed: 'The path does not have this method. The `Allow` header lists its methods.',
  name_taken: 'Another key of the tenant has this name.',
  key_state:
    'The state of the key does not allow this, `key_version` is not the newest, or the key is not exportable.',
  subject_erased: 'The person whom `subject` names was erased: this cannot be undone.',
  conflict: 'The state of the API key, or of the tenant’s API keys, does not allow this.',
  too_large: 'The body is larger than 2 MiB, or the headers are larger than 16 KiB (status 431).',
  unsupported_media_type: 'The body is not `application/json`, or is compressed.',
  decryption_failed:
    'The ciphertext was altered, or belongs to another key, version, `context` or `subject`.',
  quota_exceeded: 'The monthly quota of encryptions is used up. There is no rate limit.',
  audit_unwritten: 'The audit entry could not be written, so nothing was released. Send the request again.',
  internal: 'The service failed. Report the `X-Request-Id` to its operator.',
  unavailable: 'The service cannot work at the moment. Send the request again after `Retry-After` seconds.',
};

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
