import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Keeps `modules` in one file of `dist`: each file costs a Node process about 0.7 ms at its start, and esbuild makes
 * another one for each set of entries that share a module. So every entry of `entries` imports all of `modules`.
 */
export function together(entries: readonly string[], modules: readonly string[]): Plugin {
  const importing = new Set(entries.map((entry) => resolve(entry)));
  const imported = modules.map((module) => resolve(module));
  // Relative, because the source maps show what is imported, and nobody else has the folders of this machine.
  const importsIn = (folder: string): string =>
    imported.map((path) => `\nimport ${JSON.stringify(`./${relative(folder, path)}`)};`).join('');
  return {
    name: 'together',
    setup(building) {
      // esbuild drops an import without names, unless the module might do something.
      building.onResolve({ filter: /^[./]/ }, ({ path, resolveDir }) => {
        const found = resolve(resolveDir, path);
        return imported.includes(found) ? { path: found, sideEffects: true } : undefined;
      });
      building.onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        importing.has(path)
          ? { contents: (await readFile(path, 'utf8')) + importsIn(dirname(path)), loader: 'ts' }
          : undefined,
      );
    },
  };
}
