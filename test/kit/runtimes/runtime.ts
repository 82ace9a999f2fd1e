import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { App } from '../installed-packages.ts';

export interface Runtime {
  readonly name: string;
  readonly available?: boolean;
  readonly start: (work: Work) => Promise<Started>;
}

export interface Work {
  readonly app: App;
  /** The path of the program. */
  readonly module: string;
  readonly mounts?: Readonly<Record<string, Mount>> | undefined;
}

export type Mount = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface Started {
  run(settings: object): Promise<unknown>;
  readonly stop: () => Promise<void>;
}

export async function compileInto(app: App, module: string, target: string): Promise<string> {
  const outfile = join(app.directory, `${target}-${module.replace(/^.*\/|\.ts$/g, '')}.js`);
  await build({
    entryPoints: [module],
    outfile,
    bundle: true,
    packages: 'external',
    alias: { '@eaas/test-kit': join(import.meta.dirname, '..') },
    format: 'esm',
    platform: 'neutral',
    target,
    logLevel: 'silent',
  });
  return outfile;
}

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
