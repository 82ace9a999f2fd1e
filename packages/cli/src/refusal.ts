// What commands do about refusals of the service.
import type { ProblemCode } from '@eaas/protocol/wire';
import { Refusal } from '@eaas/server/internal';

function isRefusal(error: unknown, code: ProblemCode): error is Refusal {
  return error instanceof Refusal && error.code === code;
}

export const conflict = (message: string): Refusal => new Refusal('conflict', message);

export function orNotFound<T>(message: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw isRefusal(error, 'not_found') ? new Refusal('not_found', message) : error;
  });
}

/** Says of a forbidden look-up by a name how to do without. */
export function byName<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!isRefusal(error, 'permission_missing')) throw error;
    throw new Refusal(error.code, `${error.message} Or pass the id: only a name must be looked up.`);
  });
}

const undefinedIf =
  (code: ProblemCode) =>
  <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      if (isRefusal(error, code)) return undefined;
      throw error;
    });

/** Returns undefined if the work is refused because something does not exist. */
export const ifFound = undefinedIf('not_found');

/** Returns undefined if the work is refused because the API key lacks the permission. */
export const ifPermitted = undefinedIf('permission_missing');
