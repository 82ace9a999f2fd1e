import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useWork } from '../load.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { FailureView } from './states.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  readonly busyText: string;
  readonly typed?: string;
  readonly isDangerous?: boolean;
  readonly work: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function Confirm({
  title,
  children,
  action,
  busyText,
  typed,
  isDangerous = false,
  work,
  onDone,
  onClose,
}: ConfirmProps) {
  const text = useSignal('');
  const { isBusy, failure, run } = useWork();
  // Ignores differences in the number of spaces, because a browser shows several spaces as one.
  const isAllowed =
    typed === undefined ||
    text.value === inLine(typed) ||
    (text.value !== '' && shown(text.value) === shown(typed));

  const confirm = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isAllowed && (await run(work))) onDone();
  };

  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void confirm(event)}>
        {children}
        {typed !== undefined && (
          <Field
            label={`Type ${inLine(typed)} to confirm`}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={text}
          />
        )}
        {failure && <FailureView failure={failure} />}
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={isDangerous ? 'danger' : 'primary'}
            type="submit"
            isBusy={isBusy}
            busyText={busyText}
            disabled={!isAllowed}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const shown = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');
