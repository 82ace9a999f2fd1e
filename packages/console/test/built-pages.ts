import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = fileURLToPath(new URL('../', import.meta.url));

export async function requireBuiltPages(): Promise<void> {
  if (existsSync(`${folder}dist/index.html`)) return;
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'build.ts'], { cwd: folder });
}
