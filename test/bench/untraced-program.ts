import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { serverBuild } from '@eaas/test-kit/built-program';

const replacement = fileURLToPath(new URL('untraced.ts', import.meta.url));

export async function untracedProgram(): Promise<string> {
  const found = new Set<string>();
  const withoutTracing: Plugin = {
    name: 'without-tracing',
    setup: (building) =>
      building.onResolve({ filter: /\/tracing\.ts$/ }, ({ path }) => {
        found.add(path.slice(path.lastIndexOf('/') + 1));
        return { path: replacement };
      }),
  };
  const options = serverBuild();
  await build({ ...options, plugins: [withoutTracing] });
  if (found.size !== 1)
    throw new Error(
      `the program must import the file with the tracing code, which this benchmark removes (got ${found.size} such files)`,
    );
  return join(options.outdir, 'main.js');
}
