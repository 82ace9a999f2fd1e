import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly mustAnswer?: boolean;
}

export function Dialog({ title, children, onClose, mustAnswer = false }: DialogProps) {
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
        if (!mustAnswer) onClose();
      }}
      onClose={({ currentTarget }) => {
        // A `close` event that arrives after the dialog was removed from the page is ignored.
        if (!currentTarget.isConnected) return;
        // `showModal` opens the dialog again, because browsers close a dialog on the second Escape even if the page
        // prevents the event `cancel`.
        if (mustAnswer) currentTarget.showModal();
        else onClose();
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
          <Button kind="primary" onClick={rest.onClose}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
