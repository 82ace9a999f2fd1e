/**
 * The Unix socket directory that a database URL names the way PostgreSQL's own programs take it
 * (`postgres://user@%2Frun%2Fpostgresql:5432/name`), as an option for postgres.js, which would look it up as a host name.
 */
export function socketHost(databaseUrl: string): { host?: string } {
  const host = decodeURIComponent(new URL(databaseUrl).hostname);
  return host.startsWith('/') ? { host } : {};
}
