// The steps from an empty database to the present schema, as files of SQL. `catalogue.json` has what they and the functions make.
import { fileURLToPath } from 'node:url';

/**
 * Their paths. In `dist`, they stand beside the program. A released step must never change: add a new one. A column that it adds
 * must be nullable, and have nothing to lose until all servers are new: one of the version before sets it to null when it writes
 * the row.
 */
export const stepFiles: readonly string[] = ['1.sql'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);
