import postgres from 'postgres';
import { Explained } from '../base/explained.ts';

export class DatabaseSlow extends Explained {
  override readonly name = 'DatabaseSlow';
}

export class DatabaseBusy extends Explained {
  override readonly name = 'DatabaseBusy';
}

const permanent = new Set(['22', '23', '42']);

/**
 * PostgreSQL's code for text that a type cannot parse. The service sends only valid values, so this code means that the
 * connection has wrong settings.
 */
const unparsed = '22P02';

const connectionFault =
  /^(CONNECTION_|CONNECT_TIMEOUT|E[A-Z]+$|ERR_TLS_|ERR_SSL_|UNABLE_TO_|CERT_|\w*SELF_SIGNED_CERT)/;

/**
 * Codes of a lost connection. A connection pooler can also report these codes when it loses its own connection to
 * PostgreSQL.
 */
const lost = /^(CONNECTION_|08|57P0[1-3])/;

export function isDatabaseError(error: unknown): error is postgres.PostgresError {
  return error instanceof postgres.PostgresError;
}

const withCode =
  (code: string) =>
  (error: unknown): boolean =>
    isDatabaseError(error) && error.code === code;

export const isDuplicate = withCode('23505');
export const isLockTimeout = withCode('55P03');
export const isDenied = withCode('42501');

/** postgres.js sends unknown options of the connection URL to PostgreSQL, as settings of the connection. */
export function isSettingRefused(error: unknown): boolean {
  return isDatabaseError(error) && error.severity === 'FATAL' && /^(42704|22023)$/.test(error.code);
}

export function isDatabaseFault(error: unknown): boolean {
  if (error instanceof DatabaseSlow || error instanceof DatabaseBusy) return true;
  const code = codeOf(error);
  if (isDatabaseError(error)) return !permanent.has(code.slice(0, 2)) || code === unparsed;
  return error instanceof Error && connectionFault.test(code);
}

export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  const { syscall } = error as NodeJS.ErrnoException;
  return lost.test(code) || code === unparsed || syscall === 'read' || syscall === 'write';
}

/** When a connection breaks, postgres.js throws errors in timers. The caller of the query gets a separate error. */
export function isDriverFault(error: unknown): boolean {
  if (isDatabaseFault(error)) return true;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return /[\\/]node_modules[\\/]postgres[\\/]/.test(stack);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
