import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The pages of the operator's manual, in the order in which an operator who begins types their commands. */
export const manualPages = [
  'start',
  'production',
  'root-key',
  'replicas',
  'upgrade',
  'commands',
  'tenants',
  'alarms',
  'metrics',
  'backups',
  'public-log',
  'runbook',
  'audit-log',
  'threat-model',
].map((page) => `docs/operating/${page}.md`);

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function read(path: string): string {
  return readFileSync(root + path, 'utf8');
}

/** The operator's manual as one text. */
export const readManual = (): string => manualPages.map(read).join('\n');

export function tablesOf(text: string): Table[] {
  const found = withoutCode(text).matchAll(/(?:^ *\|.*\|\n)+/gm);
  return Array.from(found, ([table]) => {
    const [head = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf);
    return { head, rows };
  });
}

export function rowsUnder(text: string, head: string): (readonly string[])[] {
  const tables = tablesOf(text).filter((table) => table.head[0] === head);
  if (tables.length === 0) {
    throw new Error(`the page must have a table with the title "${head}" in its first column (got none)`);
  }
  return tables.flatMap(({ rows }) => rows);
}

export function codesIn(text: string): string[] {
  return Array.from(withoutCode(text).matchAll(/`([^`\n]+)`/g), ([, code]) => code ?? '');
}

export function blocksOf(text: string, language: string): string[] {
  const fence = new RegExp(`^( *)\`\`\`${language}\n(.*?)^ *\`\`\`$`, 'gms');
  return Array.from(text.matchAll(fence), ([, indent = '', block = '']) =>
    block.replace(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

export function commandsOf(text: string): string[] {
  const lines = blocksOf(text, 'sh').flatMap((block) => block.replace(/\\\n\s*/g, '').split('\n'));
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

export function anchorsOf(text: string): string[] {
  const headings = withoutCode(text).matchAll(/^#+ (.*)$/gm);
  const seen = new Map<string, number>();
  return Array.from(headings, ([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    // The second heading of the same words gets `-1`.
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

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
