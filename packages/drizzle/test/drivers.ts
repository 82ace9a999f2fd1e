import { createRequire } from 'node:module';
import { join } from 'node:path';
import { requireTools } from '@eaas/test-kit/tools';

export async function requireDrivers(): Promise<(name: string) => unknown> {
  return createRequire(join(await requireTools('test/tools/drizzle'), 'index.js'));
}
