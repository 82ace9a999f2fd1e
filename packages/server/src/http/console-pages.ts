import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { ifExists } from '../base/durable-files.ts';

export type ConsolePage = Awaited<ReturnType<typeof readPage>>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** Returns null if the package of the pages is not installed. */
export async function readConsolePages(hasPlayground: boolean): Promise<readonly ConsolePage[] | null> {
  const folder = await consoleFolder();
  if (!folder) return null;
  const names = await ifExists(readdir(new URL('console/assets/', folder)));
  if (!names) return null;
  const assets = names.filter((name) => /^[\w.-]+$/.test(name) && extname(name) in types);
  return Promise.all([
    ...(hasPlayground
      ? [
          readPage(folder, 'index.html', '/', false),
          readPage(folder, 'console/index.html', '/console/', false),
        ]
      : [readPage(folder, 'console/without-playground.html', '/console/', false)]),
    ...assets.map((name) => readPage(folder, `console/assets/${name}`, `/console/assets/${name}`, true)),
  ]);
}

/**
 * Imports the optional package `@eaas/console` dynamically, because a static import of a missing package would fail.
 */
async function consoleFolder(): Promise<URL | undefined> {
  const optional: string = '@eaas/console/files';
  try {
    const { default: folder } = (await import(optional)) as { readonly default: URL };
    return folder;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

async function readPage(folder: URL, path: string, url: string, isHashed: boolean) {
  const type = types[extname(path)] ?? 'application/octet-stream';
  return { url, type, bytes: await readFile(new URL(path, folder)), isHashed };
}
