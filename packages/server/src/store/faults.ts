import postgres from 'postgres';
import { DatabaseSlow } from './database.ts';

/** SQLSTATE classes that the next try would meet again: data, constraint, and what the role may not do. */
const permanent = new Set(['22', '23', '42']);

/** Whether trying again is of no use. All else (a lost connection, a restart, a time limit) may pass. */
export function isPermanent(error: unknown): boolean {
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

const connectionFault = /^(CONNECTION_|CONNECT_TIMEOUT|E[A-Z]+$)/;
