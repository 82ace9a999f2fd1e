import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folders = ['conformance/', 'matrix/'].map((name) =>
  fileURLToPath(new URL(`../../packages/server/test/${name}`, import.meta.url)),
);

/** The files that test the API of the server. They also meet services in memory. */
export const conformanceFiles: readonly string[] = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => folder + name),
);
