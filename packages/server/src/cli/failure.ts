import { CommanderError } from 'commander';
import type { ProblemCode } from '@eaas/protocol/wire';
import { CannotStart } from '../cannot-start.ts';
import { Refusal, Tampered } from '../refusal.ts';
import { isDatabaseFault, isDenied } from '../store/faults.ts';
import { exitCodes } from './exit-codes.ts';

/** The command as it was given cannot be carried out. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** How a command that threw ends: an exit code, and what to tell; null where it has been told. */
export interface Failure {
  readonly code: number;
  readonly message: string | null;
}

/** Problems of the database behind a Refusal. */
const ofDatabase: ReadonlySet<ProblemCode> = new Set(['unavailable', 'audit_unwritten']);

export function failureOf(error: unknown): Failure {
  // Commander has written its own message; help and version are no failures.
  if (error instanceof CommanderError) {
    return { code: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage, message: null };
  }
  if (error instanceof WrongUsage) return { code: exitCodes.usage, message: error.message };
  if (error instanceof CannotStart) return { code: exitCodes.cannotStart, message: error.message };
  if (error instanceof Refusal) return { code: codeOf(error), message: error.message };
  if (!(error instanceof Error)) return { code: exitCodes.unexpected, message: String(error) };
  if (isDenied(error)) {
    return {
      code: exitCodes.cannotStart,
      message: `The role of DATABASE_URL may not do this (${error.message}): run \`eaas migrate\`, which grants what it needs.`,
    };
  }
  if (isDatabaseFault(error)) {
    const cause = error.message || ('code' in error ? String(error.code) : error.name);
    return { code: exitCodes.cannotStart, message: `The database cannot be reached or used: ${cause}.` };
  }
  return { code: exitCodes.unexpected, message: error.stack ?? error.message };
}

function codeOf(refusal: Refusal): number {
  const { code } = refusal;
  if (refusal instanceof Tampered) return exitCodes.refused;
  if (ofDatabase.has(code)) return exitCodes.cannotStart;
  return code === 'bad_request' ? exitCodes.usage : exitCodes.refused;
}
