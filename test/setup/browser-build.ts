import type { BuildOptions } from 'esbuild';

/**
 * Options of esbuild for a page. The bundle is minified, and is split into a first load and files that the page loads
 * on demand.
 */
export const browserBuild = {
  outdir: '.',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  write: false,
  logLevel: 'silent',
} as const satisfies BuildOptions;
