import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { browserBuild } from '@eaas/test-kit/browser-build';

const here = fileURLToPath(new URL('.', import.meta.url));

export async function bundle(code: string): Promise<{ text: string; gzipped: number; warnings: string[] }> {
  const { outputFiles, atOnce, warnings } = await buildFor(code, []);
  const texts = outputFiles
    .filter(({ path }) => atOnce.some((name) => path.endsWith(`/${name}`)))
    .map(({ text }) => text);
  const gzipped = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
  return { text: texts.join(''), gzipped, warnings: warnings.map(({ text }) => text) };
}

/** Measures code that is loaded on demand. If `module` is given, measures only the matching module and its imports. */
export async function onDemand(
  code: string,
  module?: RegExp,
): Promise<{ gzipped: number; sources: string[] }> {
  const { outputFiles, metafile, atOnce } = await buildFor(code, []);
  const isWanted = (name: string): boolean =>
    module === undefined || module.test(metafile.outputs[name]?.entryPoint ?? '');
  const wanted = withImports(metafile, Object.keys(metafile.outputs).filter(isWanted));
  const names = wanted.filter((name) => !atOnce.includes(name));
  const later = outputFiles.filter(({ path }) => names.some((name) => path.endsWith(`/${name}`)));
  const gzipped = later.reduce((sum, { text }) => sum + gzipSync(text, { level: 9 }).length, 0);
  return { gzipped, sources: names.flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {})) };
}

export async function sourcesIn(code: string): Promise<string[]> {
  const { metafile, atOnce } = await buildFor(code, ['@eaas/source']);
  return atOnce.flatMap((name) => {
    const inputs = Object.entries(metafile.outputs[name]?.inputs ?? {});
    return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  });
}

/** The folders of the SDK that the sources are in, without those that belong to the client and not to one entry. */
export function entryFoldersIn(sources: readonly string[]): Set<string> {
  const folders = sources.flatMap((path) => /^packages\/sdk\/src\/([\w-]+)\//.exec(path)?.[1] ?? []);
  return new Set(folders.filter((folder) => !/^(?:client|engines|half|transport)$/.test(folder)));
}

async function buildFor(code: string, conditions: string[]) {
  const { outputFiles, metafile, warnings } = await build({
    ...browserBuild,
    stdin: { contents: code, resolveDir: here },
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    conditions,
    metafile: true,
  });
  return { outputFiles, metafile, warnings, atOnce: loadedAtOnce(metafile) };
}

function loadedAtOnce(metafile: Metafile): string[] {
  const { outputs } = metafile;
  return withImports(
    metafile,
    Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === '<stdin>'),
  );
}

function withImports({ outputs }: Metafile, of: readonly string[]): string[] {
  const names = new Set(of);
  // Also visits imports of imports, because `for … of` visits names that the loop adds to the set.
  for (const name of names) {
    for (const { path, kind } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement') names.add(path);
  }
  return [...names];
}
