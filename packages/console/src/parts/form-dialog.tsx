// The dialog of every form and confirmation: its buttons, why its work failed, and the first wrong field in view.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Work } from '../load.ts';
import { Button } from './button.tsx';
import { closeDialog, Dialog } from './dialog.tsx';
import { FailureView } from './states.tsx';

interface FormDialogProps extends Pick<Work, 'isBusy' | 'failure'> {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** What is wrong with fields. When it changes, the first such field comes into view. */
  readonly faults?: object;
  readonly onSubmit: () => Promise<unknown>;
}

/** A dialog with a form, and what came of its work. */
export function FormDialog({
  title,
  children,
  action,
  isBusy,
  failure,
  isDangerous = false,
  isDisabled = false,
  faults = {},
  onSubmit,
}: FormDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  // A form can be higher than the screen.
  useEffect(() => {
    form.current?.querySelector('.error')?.parentElement?.scrollIntoView({ block: 'center' });
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus({ preventScroll: true });
  }, [JSON.stringify(faults)]);
  return (
    <Dialog title={title}>
      <form
        ref={form}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void onSubmit();
        }}
      >
        {children}
        {failure && <FailureView failure={failure} />}
        <div class="row actions">
          <Button onClick={closeDialog}>Cancel</Button>
          <Button
            kind={isDangerous ? 'danger' : 'primary'}
            type="submit"
            isBusy={isBusy}
            disabled={isDisabled}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
