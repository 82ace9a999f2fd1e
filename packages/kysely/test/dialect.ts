// The SQL of PostgreSQL without a database: what a query becomes, and no more.
import {
  type Dialect,
  type Driver,
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';

/** A dialect of PostgreSQL whose driver sends nothing, or does what a test says. */
export const postgresOn = (driver: Driver = new DummyDriver()): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => driver,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});
