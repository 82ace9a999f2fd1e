import type { EncryptedModelErrorCode } from '@eaas/prisma';
import { kinds } from './cells.ts';

export type Outcome = 'works' | EncryptedModelErrorCode;

export interface Section {
  readonly title: string;
  readonly head: string;
  readonly rows: { readonly title: string; readonly outcomes: readonly Outcome[] }[];
}

const intro = `# What works on encrypted columns

A code in a table means that the operation throws an \`EncryptedModelError\` with this code, before it writes anything.
The [README](../README.md#errors) says what to do for each code. A test runs the operations on PostgreSQL, and writes
this page. The test also checks that no encrypted column holds plaintext, and that no result holds a ciphertext.
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
