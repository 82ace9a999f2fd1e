// What commands do about refusals of the service.
import type { ProblemCode } from '@eaas/protocol/wire';
import { Refusal } from '@eaas/server/internal';

function isRefusal(error: unknown, code: ProblemCode): boolean {
  return error instanceof Refusal && error.code === code;
}

export const conflict = (message: string): Refusal => new Refusal('conflict', message);

export function orNotFound<T>(message: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw isRefusal(error, 'not_found') ? new Refusal('not_found', message) : error;
  });
}

/** Returns undefined if the work is refused because something does not exist. */
export function ifFound<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (isRefusal(error, 'not_found')) return undefined;
    throw error;
  });
}
