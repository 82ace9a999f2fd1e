import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

export async function bundle(code: string): Promise<{ text: string; gzipped: number }> {
  const { outputFiles, atOnce } = await buildFor(code, []);
  const texts = outputFiles
    .filter(({ path }) => atOnce.some((name) => path.endsWith(`/${name}`)))
    .map(({ text }) => text);
  const gzipped = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
  return { text: texts.join(''), gzipped };
}

/** The code that the bundle loads on demand. */
export async function onDemand(code: string): Promise<{ gzipped: number; sources: string[] }> {
  const { outputFiles, metafile, atOnce } = await buildFor(code, []);
  const later = outputFiles.filter(({ path }) => !atOnce.some((name) => path.endsWith(`/${name}`)));
  const gzipped = later.reduce((sum, { text }) => sum + gzipSync(text, { level: 9 }).length, 0);
  const names = Object.keys(metafile.outputs).filter((name) => !atOnce.includes(name));
  return { gzipped, sources: names.flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {})) };
}

export async function sourcesIn(code: string): Promise<string[]> {
  const { metafile, atOnce } = await buildFor(code, ['@eaas/source']);
  return atOnce.flatMap((name) => {
    const inputs = Object.entries(metafile.outputs[name]?.inputs ?? {});
    return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  });
}

async function buildFor(code: string, conditions: string[]) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: here },
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    outdir: '.',
    conditions,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return { outputFiles, metafile, atOnce: loadedAtOnce(metafile) };
}

function loadedAtOnce({ outputs }: Metafile): string[] {
  const names = new Set(Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === '<stdin>'));
  // The body of the loop adds names to the set, and the loop visits these names too.
  for (const name of names) {
    for (const { path, kind } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement') names.add(path);
  }
  return [...names];
}
