import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { App } from '../setup/installed-packages.ts';

/** Where JavaScript runs. */
export interface Runtime {
  readonly name: string;
  /** Why it cannot run on this machine, if it cannot. */
  readonly leftOut?: string | undefined;
  /** Makes ready what runs in it. */
  readonly start: (work: Work) => Promise<Started>;
}

export interface Work {
  readonly app: App;
  /**
   * The path of a module that exports `run(settings, engines)`, which answers what JSON can say; the engines are those that
   * need modules of the runtime.
   */
  readonly module: string;
  /** For a page: what is served beside it, by the first part of the path. */
  readonly mounts?: Readonly<Record<string, Mount>> | undefined;
}

export type Mount = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface Started {
  /** Runs the module once. Throws when the runtime fails, or takes longer than a minute. */
  run(settings: object): Promise<unknown>;
  /** Rejects when something that ran keeps the runtime from ending. */
  stop(): Promise<void>;
}

const here = import.meta.dirname;

/**
 * Compiles a module, and what it imports from beside it, into the app's folder. The packages stay imports, of those that
 * are installed there. Answers the file's path.
 */
export async function compileInto(app: App, module: string, target: string): Promise<string> {
  const outfile = join(app.directory, `${target}-${module.replace(/^.*\/|\.ts$/g, '')}.js`);
  await build({
    entryPoints: [join(here, module)],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    target,
    logLevel: 'silent',
  });
  return outfile;
}

/** One file of a module and of the packages as an app's bundler would choose them by these conditions. */
export async function bundleFor(
  app: App,
  { code, conditions }: { readonly code: string; readonly conditions: readonly string[] },
): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: app.directory },
    bundle: true,
    format: 'esm',
    platform: conditions.includes('browser') ? 'browser' : 'neutral',
    mainFields: ['module', 'main'],
    conditions: [...conditions],
    external: ['node:*'],
    target: 'esnext',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** As `promise`, for so long. */
export async function within<T>(milliseconds: number, promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
