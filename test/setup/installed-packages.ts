import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publishedPackages } from '../packaging/published.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** A folder of its own, as an app's that has installed the published packages: built, packed and unpacked. */
export interface App {
  readonly directory: string;
  remove(): void;
}

/** Packs what was built, and installs it with what it depends on, which is that of this checkout. */
export async function installPackages(): Promise<App> {
  const directory = mkdtempSync(join(tmpdir(), 'eaas-app-'));
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n');
  const wanted = new Set<string>();
  for (const { name, directory: source, manifest } of publishedPackages) {
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
    const { stdout } = await run('npm', pack, { cwd: source });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    const installed = join(directory, 'node_modules', name);
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', join(directory, filename), '--strip-components=1', '-C', installed]);
    for (const dependency of Object.keys(manifest.dependencies ?? {})) wanted.add(dependency);
  }
  for (const { name } of publishedPackages) wanted.delete(name);
  for (const dependency of wanted) {
    cpSync(join(modules, dependency), join(directory, 'node_modules', dependency), { recursive: true });
  }
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
