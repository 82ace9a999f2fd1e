import { ROLES } from './cluster.ts';

/** The one database of an embedded PostgreSQL that is ours. */
export const DATABASE = 'eaas';

/** Options of postgres.js for the embedded database. */
export interface Connection {
  host: string;
  port: number;
  database: string;
  username: string;
}

/** The embedded database while it can be used. */
export interface EmbeddedDatabase {
  connection: (role: keyof typeof ROLES) => Connection;
  /** Stops PostgreSQL if this process started it. May be called again. */
  close: () => Promise<void>;
}

/** How to reach the PostgreSQL that listens in a socket directory. */
export function connectionTo(listening: {
  socketDirectory: string;
  port: number;
}): EmbeddedDatabase['connection'] {
  const { socketDirectory: host, port } = listening;
  return (role) => ({ host, port, database: DATABASE, username: ROLES[role] });
}
