// Decides whether an error concerns one file or ends the command, and which message and exit code it becomes.
import { isParseError, WrongUsage } from './kit.ts';
import { inLine } from '@eaas/protocol/internal';
import { EaasError, InputError, ServiceError } from '@eaas/sdk';

export const exitCodes = { ok: 0, failed: 1, usage: 2, cannotStart: 3, unexpected: 4 } as const;

export const exitCodesHelp = `Exit codes:
  0    done
  1    a file failed, or the service refused the request
  2    the command line is wrong
  3    the configuration or the service cannot be used
  4    an unexpected error happened
  130  Ctrl-C ended the command (143: SIGTERM)`;

export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

export class FileFailure extends Error {
  override readonly name = 'FileFailure';
}

export function fileFailureOf(error: unknown): string | undefined {
  if (error instanceof FileFailure) return error.message;
  if (error instanceof ServiceError) {
    return /^(not_found|key_state)$/.test(error.code) ? error.message : undefined;
  }
  if (error instanceof InputError) return undefined;
  if (error instanceof EaasError) return error.message;
  return error instanceof Error && 'syscall' in error ? inLine(error.message) : undefined;
}

export function failureOf(error: unknown): { readonly code: number; readonly message: string | null } {
  if (isParseError(error)) {
    const isWrong = error.exitCode !== 0;
    return isWrong
      ? { code: exitCodes.usage, message: error.message }
      : { code: exitCodes.ok, message: null };
  }
  if (error instanceof WrongUsage) return { code: exitCodes.usage, message: error.message };
  if (error instanceof CannotStart) return { code: exitCodes.cannotStart, message: error.message };
  if (error instanceof InputError) return { code: exitCodes.cannotStart, message: inFlags(error.message) };
  if (error instanceof ServiceError) return { code: codeOf(error), message: withRequestId(error) };
  const message = fileFailureOf(error);
  if (message !== undefined) return { code: exitCodes.failed, message };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: exitCodes.unexpected, message: text };
}

function codeOf({ retryable, code }: ServiceError): number {
  return retryable || code === 'unauthorized' || code === 'invalid_response'
    ? exitCodes.cannotStart
    : exitCodes.failed;
}

function withRequestId({ code, message, requestId }: ServiceError): string {
  return code === 'internal' && requestId !== undefined ? `${message} (X-Request-Id: ${requestId})` : message;
}

/** The client names its options. A user of the command knows their flags and environment variables instead. */
function inFlags(message: string): string {
  return message
    .replace('`insecureHttp: true`', '--insecure-http')
    .replace(/`(EAAS_\w+)`/, '$1')
    .replace(/^(context|subject) /, '--$1 ')
    .replace(/\. Pass the `intake_public_key` .*$/, '');
}
