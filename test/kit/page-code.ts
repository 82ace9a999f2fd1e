// The code of our pages as programs: saved in a folder, compiled with the types of what it imports, and run.
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './markdown.ts';

/** What the comments behind the calls of `console.log` say that the code prints. */
export function saidBy(code: string): string {
  const said = code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm);
  return Array.from(said, ([, output]) => `${output}\n`).join('');
}

/** Saves the files of programs in a folder, which is then gone with `remove`. */
export function savePageCode(folder: string, files: Readonly<Record<string, string>>, options: object = {}) {
  mkdirSync(folder, { recursive: true });
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noPropertyAccessFromIndexSignature: false, ...options },
    include: ['*.mts', '*.ts'],
    exclude: ['**/node_modules'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  /** Runs Node, and returns what it prints. */
  const node = (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const options = { cwd: folder, env: { ...process.env, ...more } };
    return new Promise((resolve) => {
      execFile(process.execPath, args, options, (_, stdout, stderr) => resolve(stdout + stderr));
    });
  };
  const fromSource = ['--no-deprecation', '--conditions=@eaas/source', '--import', 'tsx'];
  return {
    folder,
    node,
    /** Runs a file with the sources of our packages. */
    run: (file: string, env?: NodeJS.ProcessEnv) => node([...fromSource, file], env),
    compile: () => node([join(root, 'node_modules/typescript/bin/tsc'), '-p', '.']),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
