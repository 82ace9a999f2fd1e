export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

const untrusted = /^(?:UNABLE_TO_|SELF_SIGNED_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT)/;

/** Returns the reason why the database cannot be used. For a certificate of an unknown CA, also returns the remedy. */
function databaseReasonOf(error: unknown): string {
  const { code = '', message = '' } = Object(error) as { code?: string; message?: string };
  const reason = message || code || reasonOf(error);
  return untrusted.test(code)
    ? `${reason}: set NODE_EXTRA_CA_CERTS to the certificate of the authority that signed the database's certificate`
    : reason;
}

/**
 * Returns a message that names the environment variables with the URL of the database, because one of these URLs can be
 * wrong.
 */
export function unusableDatabase(error: unknown, variables: readonly string[]): string {
  const database = variables.length > 0 ? `The database of ${variables.join(' or ')}` : 'The database';
  return `${database} cannot be reached or used: ${databaseReasonOf(error)}.`;
}
