import { isParseError, WrongUsage } from './kit/index.ts';
import type { ProblemCode } from '@eaas/protocol/wire';
import { CannotStart, Refusal, Tampered, unusable } from '@eaas/server/internal';

export const exitCodes = { ok: 0, refused: 1, usage: 2, cannotStart: 3, unexpected: 4 } as const;

export const exitCodesHelp = `Exit codes:
  0  done
  1  the request was refused, an audit chain is broken, or a check failed
  2  the command line is wrong
  3  the configuration, the root key or the database cannot be used
  4  an unexpected error happened`;

export function failureOf(given: unknown) {
  const error = unusable(given);
  if (isParseError(error)) {
    return { code: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage, message: null };
  }
  if (error instanceof WrongUsage) return { code: exitCodes.usage, message: error.message };
  if (error instanceof CannotStart) return { code: exitCodes.cannotStart, message: error.message };
  if (error instanceof Refusal) return { code: codeOf(error), message: inOptions(error.message) };
  if (!(error instanceof Error)) return { code: exitCodes.unexpected, message: String(error) };
  return { code: exitCodes.unexpected, message: error.stack ?? error.message };
}

function codeOf(refusal: Refusal): number {
  if (refusal instanceof Tampered) return exitCodes.refused;
  if (refusal.code === 'unavailable' || refusal.code === 'audit_unwritten') return exitCodes.cannotStart;
  return refusal.code === 'bad_request' ? exitCodes.usage : exitCodes.refused;
}

/** Fields of the API that the commands have as options. */
const fieldsAsOptions = new Set(
  `permissions key_ids expires_at created_at allowed_origins name jwks jwks_uri issuer audience authorized_parties
    require subject_claim subject_prefix any_subject max_age_seconds`.split(/\s+/),
);

function inOptions(message: string): string {
  return message
    .replace('`rotation_policy.interval_days`', '--rotate-every')
    .replace(/POST \/v1\/keys\/:id\/(disable|enable|restore)/, '`eaas key $1`')
    .replace(/`(\w+)(?:\[\d+\])?`/g, (whole, field: string) =>
      fieldsAsOptions.has(field) ? `--${field.replaceAll('_', '-')}` : whole,
    );
}

export function isRefusal(error: unknown, code: ProblemCode): boolean {
  return error instanceof Refusal && error.code === code;
}

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
