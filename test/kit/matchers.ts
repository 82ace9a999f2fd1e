import { expect } from 'vitest';
import type { Answer } from './api.ts';

/** The status and the title of each problem code. If a code has no title here, the test accepts any title. */
const problems = {
  bad_request: [400, 'Bad Request'],
  unauthorized: [401, 'Unauthorized'],
  permission_missing: [403, 'Forbidden'],
  origin_refused: [403, 'Forbidden'],
  envelope_only: [403, 'Forbidden'],
  wrapped_key_unauthentic: [403, 'Forbidden'],
  not_found: [404, 'Not Found'],
  method_not_allowed: [405, 'Method Not Allowed'],
  name_taken: [409, 'Conflict'],
  key_state: [409, 'Conflict'],
  subject_erased: [409, 'Conflict'],
  conflict: [409, 'Conflict'],
  too_large: [413, undefined],
  unsupported_media_type: [415, undefined],
  decryption_failed: [422, 'Decryption Failed'],
  quota_exceeded: [429, 'Quota Exceeded'],
  audit_unwritten: [500, 'Internal Server Error'],
  internal: [500, 'Internal Server Error'],
  unavailable: [503, undefined],
} as const;

export type Code = keyof typeof problems;

export function problemDocument(code: Code, detail: RegExp = /./): object {
  const [status, title] = problems[code];
  return {
    type: 'about:blank',
    title: title ?? expect.stringMatching(/./),
    status,
    detail: expect.stringMatching(detail),
    code,
  };
}

function anyProblemDocument(answer: Answer): boolean {
  const { code, status } = Object(answer.body) as { code?: string; status?: number };
  const known = Object.entries(problems).find(([name]) => name === code);
  return (
    known?.[1][0] === answer.status &&
    status === answer.status &&
    answer.headers.get('content-type') === 'application/problem+json'
  );
}

interface Matchers<R = unknown> {
  toBeProblem(code: Code, detail?: RegExp): R;
  toBeSomeRefusal(): R;
  toBeSoundAnswer(): R;
  toHaveStatus(status: number): R;
}

declare module 'vitest' {
  interface Assertion extends Matchers {}
  interface AsymmetricMatchersContaining extends Matchers {}
}

const shown = (answer: Answer): string => `${answer.status} ${answer.text.slice(0, 1_000)}`;

expect.extend({
  toBeProblem(answer: Answer, code: Code, detail?: RegExp) {
    const expected = {
      status: problems[code][0],
      type: 'application/problem+json',
      body: problemDocument(code, detail),
    };
    const actual = {
      status: answer.status,
      type: answer.headers.get('content-type'),
      body: answer.body,
    };
    return {
      pass: this.equals(actual, expected, [], true),
      message: () => `expected the problem ${code} (${detail ?? 'any detail'}), got ${shown(answer)}`,
      actual,
      expected,
    };
  },
  toBeSomeRefusal(answer: Answer) {
    return {
      pass: answer.status >= 400 && answer.status < 500 && anyProblemDocument(answer),
      message: () => `expected a problem document below 500, got ${shown(answer)}`,
    };
  },
  toBeSoundAnswer(answer: Answer) {
    return {
      pass: answer.status < 300 || (answer.status < 500 && anyProblemDocument(answer)),
      message: () => `expected a success or a problem document below 500, got ${shown(answer)}`,
    };
  },
  toHaveStatus(answer: Answer, status: number) {
    return {
      pass: answer.status === status,
      message: () => `expected ${status}, got ${shown(answer)}`,
      actual: answer.status,
      expected: status,
    };
  },
});
