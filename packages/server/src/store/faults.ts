import postgres from 'postgres';

/** The database took longer than a caller can wait. */
export class DatabaseSlow extends Error {
  override readonly name = 'DatabaseSlow';
}

/** SQLSTATE classes that the next try would meet again: data, constraint, and what the role may not do. */
const permanent = new Set(['22', '23', '42']);

/** Whether trying again is of no use. All else (a lost connection, a restart, a time limit) may pass. */
function isPermanent(error: unknown): boolean {
  return error instanceof postgres.PostgresError && permanent.has(error.code.slice(0, 2));
}

/** Whether a unique index refused the row. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '23505';
}

/** Whether the database, and not the program, is the cause: it is away, too slow, or shutting down. */
export function isDatabaseFault(error: unknown): boolean {
  if (error instanceof DatabaseSlow) return true;
  if (error instanceof postgres.PostgresError) return !isPermanent(error);
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    connectionFault.test(error.code)
  );
}

// The driver's, the operating system's, and those of TLS: SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_VERIFY_LEAF_SIGNATURE …
const connectionFault =
  /^(CONNECTION_|CONNECT_TIMEOUT|E[A-Z]+$|ERR_TLS_|ERR_SSL_|UNABLE_TO_|CERT_|\w*SELF_SIGNED_CERT)/;

/** Whether a connection was lost that had been there. */
export function isConnectionLost(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === 'CONNECTION_CLOSED' || syscall === 'read' || syscall === 'write';
}

/** Whether the role lacks a privilege. */
export function isDenied(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '42501';
}

/** Whether the error is postgres.js writing to a socket that is gone, thrown from its own timer. */
export function isSocketFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  const own = /[\\/]node_modules[\\/]postgres[\\/]/;
  return (
    frames.some((frame) => own.test(frame)) &&
    frames.every((frame) => own.test(frame) || frame.includes('node:'))
  );
}
