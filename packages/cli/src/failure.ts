import { InputError } from '@eaas/protocol';
import { replaceRoutes } from '@eaas/protocol/internal-service';
import { isParseError, WrongUsage } from './kit/index.ts';
import { CannotStart, Refusal, Tampered, unusable } from '@eaas/server/internal';
import type { Command } from 'commander';
import { calls } from './calls.ts';
import { sentence } from './output.ts';
import { fieldOf } from './values.ts';

export const exitCodes = { ok: 0, refused: 1, usage: 2, cannotStart: 3, unexpected: 4 } as const;

export const exitCodesHelp = `Exit codes:
  0  done
  1  the request was refused, an audit chain is broken, or a check failed
  2  the command line is wrong
  3  the configuration, the root key or the database cannot be used
  4  an unexpected error happened`;

/** `ran` is the command that failed, if one ran. */
export function failureOf(given: unknown, ran?: Command) {
  const error = unusable(given);
  if (isParseError(error)) {
    return { code: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage, message: null };
  }
  if (error instanceof WrongUsage) return { code: exitCodes.usage, message: error.message };
  if (error instanceof InputError) return { code: exitCodes.usage, message: sentence(error.message) };
  if (error instanceof CannotStart) return { code: exitCodes.cannotStart, message: error.message };
  if (error instanceof Refusal) return { code: codeOf(error), message: inCommands(error.message, ran) };
  if (!(error instanceof Error)) return { code: exitCodes.unexpected, message: String(error) };
  return { code: exitCodes.unexpected, message: error.stack ?? error.message };
}

function codeOf(refusal: Refusal): number {
  if (refusal instanceof Tampered) return exitCodes.refused;
  if (refusal.code === 'unavailable' || refusal.code === 'audit_unwritten') return exitCodes.cannotStart;
  return refusal.code === 'bad_request' ? exitCodes.usage : exitCodes.refused;
}

const commandsByRoute = new Map(
  Object.entries(calls).map(([name, { route }]) => [route, `\`eaas ${name}\``]),
);

/** Says commands instead of endpoints, and options of the command that ran instead of fields. */
function inCommands(message: string, ran?: Command): string {
  const options = ran?.options.map((option) => [fieldOf(option.attributeName()), option.long] as const);
  const longs = new Map(options);
  return replaceRoutes(message, commandsByRoute).replace(
    /`(\w+)(?:\[\d+\]|\.\w+)?`/g,
    (whole, field: string) => longs.get(field) ?? whole,
  );
}
