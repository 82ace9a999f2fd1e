// What a server is made of. The command line reads it from environment variables; another program can write it itself.
import type * as core from '@eaas/service';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { SignIn } from '../http/console.ts';
import type { Ports } from '../http/listen.ts';
import type { PublicPages } from '../http/pages.ts';
import type { Job } from '../jobs/schedule.ts';
import type { RootKeyProvider } from '../root-key/provider.ts';
import type { Database } from '../postgres/database.ts';
import type { OpenDatabase, Purpose } from './open-service.ts';
import type { Service } from './service.ts';

/** How to reach the database and its root key. */
export interface DatabaseOptions {
  /** The URL for the role of the server, or null for an embedded database. */
  readonly databaseUrl: string | null;
  /** The variable with `databaseUrl`, for messages. */
  readonly urlVariable: 'EAAS_DATABASE_URL' | 'DATABASE_URL';
  /** The URL for the role that owns the tables. Null if it is the server's. */
  readonly migrateDatabaseUrl: string | null;
  /** Opens a database that this program runs itself, if there is no URL. */
  readonly openEmbedded:
    | ((rootKey: RootKeyProvider | null, purpose: Purpose) => Promise<OpenDatabase>)
    | null;
  /** The names of triggers, rules, child tables and functions of the operator in the schema. None by default. */
  readonly schemaAllow?: readonly string[];
  /** The directory in which a server remembers the newest entries of audit logs. Null or absent: nowhere. */
  readonly stateDirectory?: string | null;
  readonly rootKey: RootKeyProvider | null;
  /** The root key before the current one, during a rotation. */
  readonly previousRootKey: RootKeyProvider | null;
}

/** Where the server listens, and with which certificate. */
export interface ListenOptions extends Ports {
  readonly tlsFiles: { readonly cert: string; readonly key: string } | null;
}

/** Everything that a server gets from outside. */
export interface ServeOptions extends DatabaseOptions, ListenOptions {
  readonly trustProxy: readonly string[] | null;
  readonly console: boolean;
  readonly playground: boolean;
  /** The origin of the server in browsers. */
  readonly publicUrl: string | null;
  readonly auditRetentionMonths: number;
  /** For how long the server serves after SIGTERM, while it says that it is not ready. A second signal ends that. */
  readonly drainSeconds: number;
  /** The hosts from which the public keys of sign-ins may be fetched: `host`, `host:port` or `*.suffix`. None by default. */
  readonly issuerHosts?: readonly string[];
  readonly logLevel: string;
  /** How many times as long as usual each time limit of this process is, for a very slow machine. 1 by default. */
  readonly stretch?: number;
  /** What the log says at the start. */
  readonly warnings: readonly string[];
  readonly plugins: readonly Plugin[];
}

/** A feature of a server: what a plugin of the service has, and what only a server has. */
export interface Plugin extends core.Plugin {
  /** What the log says about the database at the start. Throws CannotStart if the database misses something. */
  warnings?(database: Database): Promise<readonly string[]>;
  /** What everyone can read beside the API, by paths such as `/log/*`. */
  pages?(service: Service): PublicPages;
  /** Adds its metrics to those of this process. */
  metrics?(registry: Registry): void;
  /** What runs again and again: each has a name, seconds, and a function. `leasedJobs` makes those that one replica runs at a time. */
  jobs?(service: Service, log: FastifyBaseLogger): readonly Job[];
  /** Takes the codes that sign in to the console. */
  signIn?(service: Service): SignIn;
  /** Tells whoever started the server where it listens, instead of a line on standard output. */
  announce?(service: Service, address: string, hasPages: boolean): Promise<void>;
}
