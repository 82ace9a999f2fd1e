import { type OptionRules, text } from '@eaas/protocol/internal-options';

interface Size<Column extends string | true> {
  readonly column?: Column | undefined;
  readonly bits?: number | undefined;
}

export const sizeRules: OptionRules<Size<string>> = {
  column: text,
  bits: (value) =>
    (Number(value) >= 1 && Number(value) <= 256 && Number.isInteger(value)) || 'an integer from 1 to 256',
};

export const sizeOf = <Column extends string | true>({
  column = true as Column,
  bits = 256,
}: Size<Column>) => ({
  column,
  bits,
});
