import { Copy } from './copy.tsx';
import { highlight } from './highlight.ts';

interface CodeProps {
  readonly title: string;
  readonly code: string;
}

export function Code({ title, code }: CodeProps) {
  return (
    <figure class="card code">
      <figcaption>
        {title}
        <Copy text={code} of={`the code: ${title}`} />
      </figcaption>
      {/* `tabIndex` makes the code focusable, so that users can scroll long lines with the keyboard. */}
      <pre tabIndex={0} role="group" aria-label={title}>
        <code>
          {highlight(code).map(({ text, kind }, index) =>
            kind ? (
              <span key={index} class={kind}>
                {text}
              </span>
            ) : (
              text
            ),
          )}
        </code>
      </pre>
    </figure>
  );
}
