import { createRequire } from 'node:module';
import { join } from 'node:path';
import { requireTools } from '../../setup/tools.ts';

/**
 * Installs the database drivers of test/tools/drizzle. Returns a function that loads modules from this folder. Drizzle
 * itself is also in the folder, so that Drizzle finds the drivers.
 */
export async function requireDrivers(): Promise<(name: string) => unknown> {
  return createRequire(join(await requireTools('drizzle'), 'index.js'));
}
