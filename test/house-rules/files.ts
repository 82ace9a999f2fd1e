import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const elsewhere = new Set(['node_modules', 'dist', '.git', '.eaas', 'coverage', 'generated']);

export const files: readonly SourceFile[] = walk(root).map((file) => {
  const text = readFileSync(file, 'utf8');
  return { path: relative(root, file).replaceAll(sep, '/'), text, lines: text.trimEnd().split('\n') };
});

export const sources = files.filter(
  ({ path }) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !path.endsWith('.test.ts'),
);

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return elsewhere.has(entry.name) ? [] : walk(path);
    return entry.isFile() ? [path] : [];
  });
}

export function importsOf({ text }: SourceFile): string[] {
  const found = text.matchAll(
    /(?:^|\n)(?:(?:import|export)\b[^;'"=]*?\bfrom|import)\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g,
  );
  return Array.from(found, ([, fixed, dynamic]) => fixed ?? dynamic ?? '');
}
