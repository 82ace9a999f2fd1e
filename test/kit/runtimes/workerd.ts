import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireTools } from '../tools.ts';
import { within } from './case.ts';
import { bundleFor, compileInto, type Runtime, type Work } from './runtime.ts';

interface Miniflare {
  readonly ready: Promise<URL>;
  dispatchFetch(url: string, init: { method: string; body: string }): Promise<Response>;
  dispose(): Promise<void>;
}

export function workerd(compatibilityFlags: readonly string[] = []): Runtime {
  return {
    name: ['workerd', ...compatibilityFlags].join(', '),
    start: (work) => start(work, compatibilityFlags),
  };
}

async function start({ app, module }: Work, compatibilityFlags: readonly string[]) {
  const modules = await requireTools('test/tools/runtimes');
  const miniflare = pathToFileURL(join(modules, 'miniflare/dist/src/index.js')).href;
  const { Miniflare } = (await import(miniflare)) as { Miniflare: new (options: object) => Miniflare };
  const compiled = await compileInto(app, module, 'esnext');
  const hasNode = compatibilityFlags.includes('nodejs_compat');
  const code = `
    ${hasNode ? "import { nodeEngine } from '@eaas/protocol/node'" : ''};
    import { run } from ${JSON.stringify(compiled)};
    const engines = [${hasNode ? 'nodeEngine' : ''}];
    export default {
      async fetch(request) { return Response.json(await run(await request.json(), engines)); },
    };`;
  const script = await bundleFor(app, { code, conditions: ['workerd', 'worker'] });
  const worker = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-07-01',
    compatibilityFlags: [...compatibilityFlags],
    cf: false,
  });
  await worker.ready;
  return {
    run: async (settings: object): Promise<unknown> => {
      const call = worker.dispatchFetch('http://worker/', { method: 'POST', body: JSON.stringify(settings) });
      const response = await within(250_000, call, 'The worker');
      if (!response.ok) {
        throw new Error(`the worker responded with the status ${response.status}: ${await response.text()}`);
      }
      return response.json();
    },
    stop: () => worker.dispose(),
  };
}
