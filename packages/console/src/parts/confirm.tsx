// Asks before an action. For a grave one, the user types the name of what is concerned.
import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useWork } from '../load.ts';
import { finishDialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';

export interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  readonly typed?: string;
  readonly isDangerous?: boolean;
  readonly work: () => Promise<unknown>;
}

export function Confirm({ children, typed, work, ...rest }: ConfirmProps) {
  const text = useSignal('');
  const { run, ...state } = useWork();
  // Ignores differences in the number of spaces, because a browser shows several spaces as one.
  const isAllowed =
    typed === undefined ||
    text.value === inLine(typed) ||
    (text.value !== '' && shown(text.value) === shown(typed));

  const confirm = async (): Promise<void> => {
    if (isAllowed) await run(() => finishDialog(work));
  };

  return (
    <FormDialog {...rest} {...state} isDisabled={!isAllowed} onSubmit={confirm}>
      {children}
      {typed !== undefined && <Field label={`Type ${inLine(typed)} to confirm`} value={text} />}
    </FormDialog>
  );
}

const shown = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');
