// What goes wrong with the database, and what an operator does about it. The start, the commands, the doctor and the log say the same.
import postgres from 'postgres';
import { CannotStart, codeOf, reasonOf } from '../base/cannot-start.ts';
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

/**
 * Codes of a session that can fail for ever: in a transaction that failed (25), without a file of PostgreSQL (58: an upgrade
 * replaced its library beneath the running program, and only older sessions have it), or by a bug (XX).
 */
const brokenSession = /^(25|58|XX)/;

export function isDatabaseError(error: unknown): error is postgres.PostgresError {
  return error instanceof postgres.PostgresError;
}

export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505';
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** Remedies by severity and code. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/ 28P01$/, 'correct the password in the URL (percent-encoded), or set it in PostgreSQL with `alter role`'],
  [/ 28000$/, 'correct the user in the URL, or allow it in pg_hba.conf'],
  [/ 3D000$/, 'create this database, or correct its name in the URL'],
  [/ 42501$/, 'set EAAS_MIGRATE_DATABASE_URL to the role that owns the database, and run `eaas migrate`'],
  [/ 53100$/, 'the disk of the database is full: extend its volume, and delete nothing in pg_wal'],
  [/ 53300$/, 'raise max_connections: each server uses up to 20'],
  [/ 58P01$/, 'restart the database: a file of its program was replaced or removed while it ran'],
  [/ 57P0\d$/, 'wait until the database has started; its own log says what it does'],
  // postgres.js sends unknown options of the URL to PostgreSQL, as settings of the connection.
  [/FATAL (42704|22023)$/, 'check the name and value of each option after `?` in the URL'],
  [
    / (UNABLE_TO_|\w*SELF_SIGNED_)/,
    'set NODE_EXTRA_CA_CERTS to the certificate of the authority that signed it',
  ],
  [/ (E[A-Z]+|CONN\w+|\w+Slow)$/, 'start the database, whose log says why it stopped, or correct the URL'],
];

function remedyOf(error: unknown): string | undefined {
  const { severity = '', name = '' } = Object(error) as { severity?: string; name?: string };
  const kind = `${severity} ${codeOf(error) || name}`;
  return remedies.find(([kinds]) => kinds.test(kind))?.[1];
}

/** Returns CannotStart with the reason and the remedy if the database cannot be used, and any other error as it is. */
export function unusable(error: unknown, variable?: string): unknown {
  const remedy = remedyOf(error);
  if (!isDatabaseFault(error) && !(isDatabaseError(error) && remedy)) return error;
  const database = variable === undefined ? 'The database' : `The database of ${variable}`;
  const reason = reasonOf(error).trim() || codeOf(error);
  const message = `${database} cannot be reached or used: ${[reason, remedy].filter(Boolean).join(': ')}.`;
  return new CannotStart(message, { cause: error });
}

/** What the log says about an error. A message of PostgreSQL or of a library can contain secrets, so it is not logged. */
export function explanationOf(error: Error): string | undefined {
  if (error instanceof Explained) return error.message;
  const remedy = isDatabaseError(error) || isDriverFault(error) ? remedyOf(error) : undefined;
  return remedy && `the database cannot be reached or used (${codeOf(error)}): ${remedy}`;
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

/** Whether the database itself says that it did nothing. */
export const isAnswer = (error: unknown): boolean => isDatabaseError(error) && !lost.test(error.code);

export const isSessionBroken = (error: unknown): boolean =>
  isDatabaseError(error) && brokenSession.test(error.code);

/**
 * Whether an error comes from postgres.js. When a connection breaks, it throws from a timer, where nobody can catch, as
 * `driver-fault.slow.test.ts` shows; the query itself also rejects. What decides is the first place of the stack that is not
 * Node's: a code would take in every full disk, and a place further down whatever a transaction runs.
 */
export function isDriverFault(error: unknown): boolean {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = stack.split(/^ +at /m).slice(1);
  const first = places.find((place) => !/node:|<anonymous>/.test(place)) ?? '';
  return /[\\/]node_modules[\\/]postgres[\\/]/.test(first);
}
