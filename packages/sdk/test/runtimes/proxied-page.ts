import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { createProxy, toNodeHandler } from '@eaas/sdk/proxy';
import type { App } from '@eaas/test-kit/installed-packages';
import { bundleFor, type Mount } from '@eaas/test-kit/runtimes/runtime';

type ProxyModule = { createProxy: typeof createProxy; toNodeHandler: typeof toNodeHandler };

interface Proxied {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly basePath: string;
  readonly keys: readonly string[];
}

export async function proxyFor(app: App, { baseUrl, apiKey, basePath, keys }: Proxied): Promise<Mount> {
  const bundle = join(app.directory, 'proxy.mjs');
  // Bundles the installed package and imports the bundle. Importing the package directly would load the source files,
  // because the tests run with the condition `@eaas/source`.
  const code = "export { createProxy, toNodeHandler } from '@eaas/sdk/proxy'";
  writeFileSync(bundle, await bundleFor(app, { code, conditions: ['node'] }));
  const installed = (await import(pathToFileURL(bundle).href)) as ProxyModule;
  const proxy = installed.createProxy({
    baseUrl,
    apiKey,
    basePath,
    authorize: () => ({ keys, operations: ['wrap', 'unwrap', 'hash'] }),
  });
  return installed.toNodeHandler(proxy);
}
