import { createRequire } from 'node:module';
import { join } from 'node:path';
import { requireTools } from '../../setup/tools.ts';

/** Returns a function that loads modules of test/tools/drizzle. Drizzle is there too, because it imports its drivers. */
export async function requireDrivers(): Promise<(name: string) => unknown> {
  return createRequire(join(await requireTools('drizzle'), 'index.js'));
}
