import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * What a browser app ships for this code: minified, with the license comments that bundlers keep. Fails on an import that
 * browsers do not have.
 */
export async function bundle(code: string): Promise<{ text: string; gzipped: number }> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: here },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  const text = outputFiles.map((file) => file.text).join('');
  return { text, gzipped: gzipSync(text, { level: 9 }).length };
}
