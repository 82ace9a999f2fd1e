import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = fileURLToPath(new URL('../../packages/console/', import.meta.url));

/** Builds the pages of the console if that has not been done: the server serves one of them at `/docs`. */
export async function requireBuiltPages(): Promise<void> {
  if (existsSync(`${folder}dist/docs/index.html`)) return;
  await promisify(execFile)(process.execPath, ['--conditions=@eaas/source', '--import', 'tsx', 'build.ts'], {
    cwd: folder,
  });
}
