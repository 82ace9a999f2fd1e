// Dialogs. One is open at a time: a page opens it here, and `App` shows it until the user or another page closes it.
import { signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

export const opened = signal<VNode | undefined>(undefined);

export function openDialog(dialog: VNode): void {
  opened.value = dialog;
}

export function closeDialog(): void {
  opened.value = undefined;
}

/** Does what the open dialog asked for, and closes it, unless the work has opened another one. */
export async function finishDialog(work: () => Promise<unknown>): Promise<void> {
  const own = opened.value;
  await work();
  if (opened.value === own) closeDialog();
}

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly mustAnswer?: boolean;
}

export function Dialog({ title, children, mustAnswer = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    current?.showModal();
    return () => {
      current?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!mustAnswer) closeDialog();
      }}
      onClose={({ currentTarget }) => {
        // A `close` event that arrives after the dialog was removed from the page is ignored.
        if (!currentTarget.isConnected) return;
        // `showModal` opens the dialog again, because browsers close a dialog on the second Escape even if the page
        // prevents the event `cancel`.
        if (mustAnswer) currentTarget.showModal();
        else closeDialog();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** A dialog that shows something, and has one button to close it. */
export function ShowDialog({ action, children, ...rest }: DialogProps & { readonly action: string }) {
  return (
    <Dialog {...rest}>
      <div class="stack">
        {children}
        <div class="row actions">
          <Button kind="primary" onClick={closeDialog}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
