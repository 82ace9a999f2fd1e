// Fields that are typed in one input: see form.ts.
import { limits } from '@eaas/protocol/wire';
import type { ComponentProps } from 'preact';
import { Field as Input } from './field.tsx';
import type { Field, FieldProps } from './form.ts';

type InputProps = Omit<ComponentProps<typeof Input>, 'value' | 'error'>;

/** The input of a field that is typed. */
export const typed = (props: InputProps) =>
  function Typed({ value, error }: Pick<FieldProps<string>, 'value' | 'error'>) {
    return <Input {...props} value={value} error={error} />;
  };

/** A text that is stored as it is typed. */
export function text<Name extends string>(
  name: Name,
  props: InputProps,
  first = '',
): Field<string, string, { readonly [Each in Name]: string | number | null }> {
  return {
    start: (record) => String(record === undefined ? first : (record[name] ?? '')),
    read: (shown) => shown,
    View: typed(props),
  };
}

export const nameOf = (hint: string) => ({
  ...text('name', { label: 'Name', hint, maxLength: limits.keyName, required: true }),
  read: (shown: string) => shown.trim(),
});
