// Makes an exit code and a sentence of every error. It names commands and options where the service named endpoints and fields.
import { LogProofError } from '@eaas/audit';
import { InputError } from '@eaas/protocol';
import { replaceRoutes } from '@eaas/protocol/internal-service';
import { isParseError, WrongUsage } from './kit/index.ts';
import { CannotStart, Refusal, Tampered, unusable } from '@eaas/server/internal';
import { type ProblemCode, problems } from '@eaas/protocol/wire';
import { calls } from './calls.ts';
import { type AnyCommand, knows } from './command.ts';
import { notRemote } from './config.ts';
import { sentence } from './output.ts';
import { fieldOf } from './values.ts';

export const exitCodes = { ok: 0, refused: 1, usage: 2, cannotStart: 3, unexpected: 4 } as const;

export const exitCodesHelp = `Exit codes:
  0  done
  1  the request was refused, an audit chain is broken, or a check failed
  2  the command line is wrong
  3  the configuration, the root key, the database or the service cannot be used
  4  an unexpected error happened`;

/** What an error says: the exit code, a sentence for a person, and the code of a problem. */
interface Failure {
  readonly exit: number;
  readonly code: ProblemCode | 'wrong_usage' | 'cannot_start' | 'internal';
  /** Null if the command ended well. */
  readonly message: string | null;
}

/** `ran` is the command that failed, if one ran. */
export function failureOf(given: unknown, ran?: AnyCommand): Failure {
  const error = unusable(given);
  const { ok, refused, usage, cannotStart, unexpected } = exitCodes;
  if (isParseError(error)) {
    const isWrong = error.exitCode !== 0;
    const isLocal =
      error.message.startsWith("error: unknown option '--remote'") && ran && !knows(ran, '--remote');
    const message = isLocal ? notRemote : error.message;
    return { exit: isWrong ? usage : ok, code: 'wrong_usage', message: isWrong ? message : null };
  }
  if (error instanceof WrongUsage) return { exit: usage, code: 'wrong_usage', message: error.message };
  if (error instanceof InputError) {
    return { exit: usage, code: 'wrong_usage', message: inCommands(sentence(error.message), ran) };
  }
  if (error instanceof LogProofError) {
    return { exit: refused, code: 'conflict', message: sentence(error.message) };
  }
  if (error instanceof CannotStart) {
    return { exit: cannotStart, code: 'cannot_start', message: error.message };
  }
  if (error instanceof Refusal) {
    return { exit: exitOf(error), code: error.code, message: inCommands(error.message, ran) };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exit: unexpected, code: 'internal', message };
}

/** The failure as `--json` prints it: the fields of a problem, and the command that the sentence names. */
export function problemOf({ exit, code, message }: Failure): object {
  const status = code in problems ? problems[code as ProblemCode].status : null;
  const [, next = null] = /`(eaas [^`]+)`/.exec(message ?? '') ?? [];
  return { code, status, detail: message, next, exit_code: exit };
}

function exitOf(refusal: Refusal): number {
  if (refusal instanceof Tampered) return exitCodes.refused;
  if (refusal.code === 'unavailable' || refusal.code === 'audit_unwritten') return exitCodes.cannotStart;
  return refusal.code === 'bad_request' ? exitCodes.usage : exitCodes.refused;
}

const commandsByRoute = new Map(
  Object.entries(calls).map(([name, { route }]) => [route, `\`eaas ${name}\``]),
);

/** Says commands instead of endpoints, and options of the command that ran instead of fields. */
function inCommands(message: string, ran?: AnyCommand): string {
  const longs = new Map(ran?.options.map((option) => [fieldOf(option.attributeName()), option.long]));
  const own = message.replace('. On a trusted network, pass `insecureHttp: true`', '');
  return replaceRoutes(own, commandsByRoute).replace(
    /`(\w+)(?:\[\d+\]|\.\w+)?`/g,
    (whole, name: string) => longs.get(fieldOf(name)) ?? whole,
  );
}
