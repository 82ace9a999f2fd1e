// The button of all pages. It keeps the focus while its work runs.
import type { ComponentChildren } from 'preact';

interface ButtonProps {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly children: ComponentChildren;
  readonly onClick?: (() => void) | undefined;
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
}

/**
 * A button that ignores clicks while its work runs. The button is not disabled, because a disabled button loses the
 * focus.
 */
export function Button({
  kind = 'plain',
  type = 'button',
  children,
  onClick,
  isBusy = false,
  disabled = false,
}: ButtonProps) {
  return (
    <button
      class={`button ${kind}`}
      type={type}
      disabled={disabled}
      aria-disabled={isBusy}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
      {isBusy && '…'}
    </button>
  );
}
