// A figure with code or JSON that users can copy, and scroll with the keyboard.
import type { ComponentChildren } from 'preact';
import { Copy } from './copy.tsx';
import { highlight } from './highlight.ts';

/** Code, also in a sentence, where an option such as `--json` does not break at a hyphen. */
export const Inline = ({ code }: { readonly code: string }) => (
  <code>{highlight(code).map(({ text, kind }) => (kind ? <span class={kind}>{text}</span> : text))}</code>
);

interface CodeProps {
  readonly title: string;
  readonly code: string;
  /** The title as it is shown, where it is more than a text. */
  readonly caption?: ComponentChildren;
  /** What the button copies, for a screen reader. */
  readonly of?: string;
  /** What stands beside the button. */
  readonly children?: ComponentChildren;
}

export function Code({ title, code, caption = title, of = `the code: ${title}`, children }: CodeProps) {
  return (
    <figure class="card code">
      <figcaption>
        {caption}
        <span>
          {children}
          <Copy text={code} of={of} />
        </span>
      </figcaption>
      {/* `tabIndex` makes the code focusable, so that users can scroll long lines with the keyboard. */}
      <pre tabIndex={0} role="group" aria-label={title}>
        <Inline code={code} />
      </pre>
    </figure>
  );
}
