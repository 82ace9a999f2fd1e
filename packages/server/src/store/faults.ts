import postgres from 'postgres';

export class DatabaseSlow extends Error {
  override readonly name = 'DatabaseSlow';
}

export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';
}

/**
 * The first two characters of SQLSTATE codes for errors that a retry cannot solve: data, constraints and privileges.
 */
const permanent = new Set(['22', '23', '42']);

/**
 * The SQLSTATE code for a value that PostgreSQL could not parse. The service sends only valid values, so this code means that
 * the settings of the connection are wrong.
 */
const unparsed = '22P02';

/**
 * Error codes for failed connections, from the driver, the operating system and TLS. An example is
 * SELF_SIGNED_CERT_IN_CHAIN.
 */
const connectionFault =
  /^(CONNECTION_|CONNECT_TIMEOUT|E[A-Z]+$|ERR_TLS_|ERR_SSL_|UNABLE_TO_|CERT_|\w*SELF_SIGNED_CERT)/;

/**
 * Error codes for lost connections and for a server that shuts down. A connection pooler can report the same codes for
 * its server.
 */
const lost = /^(CONNECTION_|08|57P0[1-3])/;

/** Returns whether the error means that PostgreSQL refused a statement, for any reason. */
export function isDatabaseError(error: unknown): error is postgres.PostgresError {
  return error instanceof postgres.PostgresError;
}

export function isDuplicate(error: unknown): boolean {
  return isDatabaseError(error) && error.code === '23505';
}

export function isDenied(error: unknown): boolean {
  return isDatabaseError(error) && error.code === '42501';
}

/**
 * Returns whether a retry might succeed. A retry might succeed if the database is not available, too slow, busy or
 * shutting down.
 */
export function isDatabaseFault(error: unknown): boolean {
  if (error instanceof DatabaseSlow || error instanceof DatabaseBusy) return true;
  const code = codeOf(error);
  if (isDatabaseError(error)) return !permanent.has(code.slice(0, 2)) || code === unparsed;
  return error instanceof Error && connectionFault.test(code);
}

/** Returns whether the error means that a connection was lost or can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  const { syscall } = error as NodeJS.ErrnoException;
  return lost.test(code) || code === unparsed || syscall === 'read' || syscall === 'write';
}

/**
 * Returns whether an uncaught error comes from the database or from postgres.js. When a connection breaks, postgres.js
 * throws errors in timers and ignored promises. Such an error can be ignored, because the caller of the query gets
 * another error and the pool is replaced.
 */
export function isDriverFault(error: unknown): boolean {
  if (isDatabaseFault(error)) return true;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return /[\\/]node_modules[\\/]postgres[\\/]/.test(stack);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
