import { createRequire } from 'node:module';
import { join } from 'node:path';
import { requireTools } from '../../setup/tools.ts';

export async function requireDrivers(): Promise<(name: string) => unknown> {
  return createRequire(join(await requireTools('drizzle'), 'index.js'));
}
