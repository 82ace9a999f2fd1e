// The steps from an empty database to the present schema, as files of SQL. `catalogue.json` has what they and the functions make.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** In `dist`, the files stand beside the program. */
const files = ['1.sql'].map((name) => new URL(name, import.meta.url));

/** A released step must never change: add a new one. */
export const steps: readonly string[] = files.map((file) => readFileSync(file, 'utf8'));

/** Where a person finds them. */
export const stepFiles = files.map((file) => fileURLToPath(file)).join(', ');
