import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { createProxy, toNodeHandler } from '@eaas/sdk/proxy';
import type { App } from '../setup/installed-packages.ts';
import type { Settings } from './case.ts';
import { bundleFor, type Mount } from './runtime.ts';

type ProxyModule = { createProxy: typeof createProxy; toNodeHandler: typeof toNodeHandler };

export async function proxyFor(
  app: App,
  { baseUrl, apiKey, keyId, otherKeyId, intake }: Settings & { readonly apiKey: string },
): Promise<Mount> {
  const bundle = join(app.directory, 'proxy.mjs');
  // An import in this process would load the source files instead of the installed package.
  const code = "export { createProxy, toNodeHandler } from '@eaas/sdk/proxy'";
  writeFileSync(bundle, await bundleFor(app, { code, conditions: ['node'] }));
  const installed = (await import(pathToFileURL(bundle).href)) as ProxyModule;
  const proxy = installed.createProxy({
    baseUrl,
    apiKey,
    authorize: () => ({
      keys: [keyId, otherKeyId, intake.keyId],
      operations: ['wrap', 'unwrap', 'hash'],
    }),
  });
  return installed.toNodeHandler(proxy);
}
