// The column of keys that writers without credentials encrypt to. `storedTables` has it.
import type { SchemaPlugin } from './tables.ts';

/** Null in rows of services without the plugin. */
export const intake: SchemaPlugin = { schema: `alter table eaas.keys add column intake boolean;` };
