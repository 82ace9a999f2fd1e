// What the service refuses, each with its text. A refusal is thrown where it is found, and is the response of the call.
import { badRequest, Refusal } from '@eaas/protocol/internal-service';
import { problem } from '@eaas/protocol/wire';

export { attempt } from '@eaas/protocol/internal';
export { badRequest, Refusal } from '@eaas/protocol/internal-service';

/** What a request gets that fails unexpectedly. */
export const unexpected = problem(
  'internal',
  'The service failed unexpectedly. Report the X-Request-Id of this response to the operator.',
);

/**
 * A row, a head or an entry is not as the service wrote it. The answer names no row; whoever runs the service is told
 * (`Listener.tampered`).
 */
export class Tampered extends Refusal {
  readonly row: { readonly table: string; readonly id: string; readonly tenantId: string };

  constructor(table: string, id: string, tenantId: string) {
    super(
      'unavailable',
      'The stored data did not pass its integrity check. The operator can find the row with `eaas audit verify`.',
    );
    this.row = { table, id, tenantId };
  }
}

/** What the work returns, or undefined if it throws an error of this kind. */
export function undefinedIf<T>(kind: new (...args: never[]) => Error, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof kind) return undefined;
    throw error;
  }
}

/**
 * Refuses a request without a valid API key. The text is the same for every cause, so callers cannot find out which
 * tokens exist. Only the holder of a stored API key learns `what` ended it.
 */
export const unauthorized = (what = 'This call has no API key or token that the service accepts'): Refusal =>
  new Refusal(
    'unauthorized',
    `${what}: create another API key with \`eaas api-key create\` or in the console.`,
  );

/** 404: there is no such path. */
export const nothingHere = (): Refusal =>
  new Refusal('not_found', 'The path of this request does not exist: see /docs for all paths.');

/** If the request has several key ids, `field` says where the unknown key id is. */
export const keyNotFound = (field?: string): Refusal =>
  new Refusal(
    'not_found',
    `Key not found${field ? ` (\`${field}\`)` : ''}: pass the key_id that POST /v1/keys returned, not the name of the key.`,
  );

/** 405: the path exists, and the method does not. */
export const methodNotAllowed = (allowed: readonly string[]): Refusal =>
  new Refusal('method_not_allowed', `This path accepts only these methods: ${allowed.join(', ')}.`);

export const unauthenticWrappedKey = (): Refusal =>
  new Refusal(
    'wrapped_key_unauthentic',
    'The wrapped_key cannot be unwrapped: the key_id or the context is wrong, or the wrapped_key was altered or truncated.',
  );

/** Refuses a wrapped key that names another version than the request, or a version that the key does not have. */
export const wrongKeyVersion = (named: number, expected?: number): Refusal =>
  new Refusal(
    'wrapped_key_unauthentic',
    expected === undefined
      ? `The wrapped_key names \`key_version\` ${named}, which this key does not have: the key_id is wrong, or the wrapped_key was altered.`
      : `\`key_version\` is ${expected}, but the wrapped_key names version ${named}: pass the key_version ` +
          `that was returned with the wrapped_key, or leave it out.`,
  );

/** The service returns this error if it does not know whether it has written the audit entry. */
export const auditUnwritten = (cause?: unknown): Refusal =>
  new Refusal(
    'audit_unwritten',
    'The audit entry could not be written in time, so no result was returned. Try again in a moment.',
    { cause },
  );

/** 503: the store does not respond, or not in time. */
export const unreachable = (cause?: unknown): Refusal =>
  new Refusal('unavailable', 'The service cannot reach its database. Try again in a moment.', { cause });

/** 400: the checkpoint is not one of this tenant. */
export const foreignCheckpoint = (): Refusal =>
  badRequest(
    '`checkpoint` was not signed for this tenant, or was changed: pass the whole text that this tenant received',
  );

/** 503: others were always faster. */
export const changedTooOften = (): Refusal =>
  new Refusal(
    'unavailable',
    'The data of this call changed too often while it was read. Try again in a moment.',
  );
