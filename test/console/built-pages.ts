import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = fileURLToPath(new URL('../../packages/console/', import.meta.url));

/**
 * Builds the pages if they are missing. `npm run test:all` builds them before the tests, so no test replaces them while
 * another test uses them.
 */
export async function requireBuiltPages(): Promise<void> {
  if (existsSync(`${folder}dist/index.html`)) return;
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'build.ts'], { cwd: folder });
}
