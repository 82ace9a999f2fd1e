import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { libraries, pack } from './published.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

export type App = Awaited<ReturnType<typeof installPackages>>;

export async function installPackages() {
  const directory = mkdtempSync(join(tmpdir(), 'eaas-app-'));
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n');
  const wanted = new Set<string>();
  for (const library of libraries) {
    const tarball = await pack(library, directory);
    const installed = join(directory, 'node_modules', library.name);
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
    for (const dependency of Object.keys(library.manifest.dependencies ?? {})) wanted.add(dependency);
  }
  for (const { name } of libraries) wanted.delete(name);
  for (const dependency of wanted) {
    cpSync(join(modules, dependency), join(directory, 'node_modules', dependency), { recursive: true });
  }
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
