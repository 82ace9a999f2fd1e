import { EaasError, InputError, ServiceError } from '@eaas/sdk';

/** The exit codes of the program. If a signal ends the program, the exit code is 128 plus the number of the signal. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, cannotStart: 3, unexpected: 4 } as const;

/** The text of `help exit-codes`. */
export const exitCodesHelp = `Exit codes:
  0    done
  1    a file failed, or the service refused the request
  2    the command line is wrong
  3    the configuration or the service cannot be used
  4    an unexpected error happened
  130  Ctrl-C ended the command (143: SIGTERM)`;

/** Thrown if the command line is wrong. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** Thrown if the configuration or a key file cannot be used. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/** Thrown if one file cannot be processed. The command continues with the other files. */
export class FileFailure extends Error {
  override readonly name = 'FileFailure';
}

/** Returns the message of an error that concerns only one file. Returns undefined for any other error. */
export function fileFailureOf(error: unknown): string | undefined {
  if (error instanceof FileFailure) return error.message;
  if (error instanceof ServiceError)
    return /^(not_found|key_state)$/.test(error.code) ? error.message : undefined;
  if (error instanceof InputError) return undefined;
  if (error instanceof EaasError) return error.message;
  return error instanceof Error && 'syscall' in error ? error.message : undefined;
}

/** Returns the exit code and the message for an error that ends a command. */
export function failureOf(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof WrongUsage) return { code: exitCodes.usage, message: error.message };
  if (error instanceof CannotStart) return { code: exitCodes.cannotStart, message: error.message };
  if (error instanceof InputError) return { code: exitCodes.cannotStart, message: inOptions(error.message) };
  if (error instanceof ServiceError) return { code: codeOf(error), message: error.message };
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

/**
 * Replaces the names of SDK options in a message by the command-line options and environment variables that set them.
 */
function inOptions(message: string): string {
  return message
    .replace('`insecureHttp: true`', '--insecure-http')
    .replace('`baseUrl`', 'EAAS_BASE_URL')
    .replace('`apiKey`', 'EAAS_API_KEY')
    .replace(', or a function that returns an API key', '');
}
