import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A table: the cells of its head and of its rows. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Reads a document by its path from the root. */
export function read(path: string): string {
  return readFileSync(root + path, 'utf8');
}

/** Returns the tables of a document, including tables in lists. */
export function tablesOf(text: string): Table[] {
  const found = withoutCode(text).matchAll(/(?:^ *\|.*\|\n)+/gm);
  return Array.from(found, ([table]) => {
    const [head = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf);
    return { head, rows };
  });
}

/** The rows of the tables whose first column has this head. Throws if there is none. */
export function rowsUnder(text: string, head: string): (readonly string[])[] {
  const tables = tablesOf(text).filter((table) => table.head[0] === head);
  if (tables.length === 0) throw new Error(`no table with the first column "${head}"`);
  return tables.flatMap(({ rows }) => rows);
}

/** Returns the inline code of a text, without fenced blocks. */
export function codesIn(text: string): string[] {
  return Array.from(withoutCode(text).matchAll(/`([^`\n]+)`/g), ([, code]) => code ?? '');
}

/** Returns the fenced blocks of a language, without the indentation of a list. */
export function blocksOf(text: string, language: string): string[] {
  const fence = new RegExp(`^( *)\`\`\`${language}\n(.*?)^ *\`\`\`$`, 'gms');
  return Array.from(text.matchAll(fence), ([, indent = '', block = '']) =>
    block.replace(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** The commands of a document's shell blocks, one line each. */
export function commandsOf(text: string): string[] {
  const lines = blocksOf(text, 'sh').flatMap((block) => block.replace(/\\\n\s*/g, '').split('\n'));
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(text: string): string[] {
  const headings = withoutCode(text).matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The targets of a document's links. */
export function linksOf(text: string): string[] {
  return Array.from(withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => target ?? '');
}

function withoutCode(text: string): string {
  return text.replace(/^ *```.*?^ *```$/gms, '');
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}
