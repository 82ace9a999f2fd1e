import type { EncryptedModelErrorCode } from '@eaas/prisma';
import { kinds } from './cells.ts';

export type Outcome = 'works' | EncryptedModelErrorCode;

export interface Section {
  readonly title: string;
  readonly head: string;
  readonly rows: { readonly title: string; readonly outcomes: readonly Outcome[] }[];
}

const intro = `# What works on encrypted columns

This page shows which operations work for each kind of field. \`test/orms/prisma/matrix.test.ts\` writes it: it runs each cell
on PostgreSQL, and checks after each cell that no table and no result holds a value in the wrong form.

A cell with a code throws an \`EncryptedModelError\` with that code, before anything is read or written. The
[README](../README.md#errors) says what to do for each code.
`;

export function pageOf(sections: readonly Section[]): string {
  return [intro, ...sections.map(sectionOf)].join('\n');
}

function sectionOf({ title, head, rows }: Section): string {
  const table = [
    [head, ...kinds.map((kind) => kind.title)],
    ...rows.map((row) => [
      row.title,
      ...row.outcomes.map((outcome) => (outcome === 'works' ? 'yes' : `\`${outcome}\``)),
    ]),
  ];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0))) ?? [];
  const lineOf = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [top = [], ...others] = table;
  const rule = widths.map((width) => '-'.repeat(width));
  return `## ${title}\n\n${[top, rule, ...others].map(lineOf).join('\n')}\n`;
}
