import { refuse } from './value-type.ts';

interface Size<Column extends string | true> {
  readonly column?: Column | undefined;
  readonly bits?: number | undefined;
}

export function requireSize<Column extends string | true>({
  column,
  bits = 256,
}: Size<Column>): {
  readonly column: Column;
  readonly bits: number;
} {
  if (!(Number.isInteger(bits) && bits >= 1 && bits <= 256)) {
    refuse(`\`bits\` must be an integer from 1 to 256 (got ${String(bits)})`);
  }
  if (column !== undefined && typeof column !== 'string')
    refuse('the option `column` must be the name of a column (a string)');
  return { column: column ?? (true as Column), bits };
}
