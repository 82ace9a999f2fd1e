import type { EncryptedModelErrorCode } from '@eaas/prisma';
import { grouped, listOf, type OutcomeRow, outcomeTable, works } from '@eaas/test-kit/orms/outcomes';
import { kinds } from './cells.ts';

export type Outcome = 'works' | EncryptedModelErrorCode;

export interface Section {
  readonly title: string;
  readonly head: string;
  readonly rows: { readonly title: string; readonly outcomes: readonly Outcome[] }[];
}

const intro = `# What works on encrypted columns

A code in a table is that of the \`EncryptedModelError\` which the operation throws before it writes anything ([what to
do](../README.md#errors)). A test runs every line on PostgreSQL, every write also with null, and every update also with
\`{ set }\`. It checks that no encrypted column holds plaintext, and that no result holds a ciphertext.
`;

export function pageOf(sections: readonly Section[]): string {
  return [intro, ...sections.map(sectionOf)].join('\n');
}

function sectionOf({ title, head, rows }: Section): string {
  // The first outcome of each row is for unencrypted fields. The page leaves it out, because every operation works on
  // them.
  const shown = rows.map((row): OutcomeRow => {
    const outcomes = row.outcomes.map((outcome) => (outcome === 'works' ? 'yes' : `\`${outcome}\``));
    return { title: row.title, outcomes: outcomes.slice(1) };
  });
  const working = namesOf(shown);
  const others = shown.filter((row) => !works(row));
  const parts = [
    `## ${title}`,
    ...(working.length > 0 ? [listOf('On every kind of field:', working)] : []),
    ...(others.length > 0
      ? [
          outcomeTable(
            [head],
            kinds.slice(1).map((kind) => kind.title),
            others,
          ),
        ]
      : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/**
 * Returns the titles of the operations that work. An operation has up to three titles: a plain one, one that ends in
 * "with null", and one that ends in "with `{ set }`". If all of them work, the list contains only the plain one.
 */
function namesOf(rows: readonly OutcomeRow[]): string[] {
  const baseOf = (title: string): string => title.replace(/ with (?:null|`\{ set \}`)$/, '');
  return grouped(rows, ({ title }) => baseOf(title)).flatMap((variants) =>
    variants.every(works) ? [baseOf(variants[0].title)] : variants.filter(works).map(({ title }) => title),
  );
}
