import type { BuildOptions } from 'esbuild';

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
