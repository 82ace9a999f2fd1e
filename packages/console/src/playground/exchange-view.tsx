import { highlight } from '../parts/highlight.ts';
import { type Exchange, shown } from './exchanges.ts';

export function ExchangeView({ exchange }: { readonly exchange: Exchange }) {
  const { method, path, request, status, response } = exchange;
  return (
    <div class="exchange">
      <Message title="Request" line={`${method} ${path}`} body={shown(request)} />
      <Message title="Response" line={String(status)} body={shown(response)} />
    </div>
  );
}

function Message({ title, line, body }: Record<'title' | 'line' | 'body', string>) {
  return (
    <figure class="code">
      <figcaption>
        {title} <code>{line}</code>
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={`${title} ${line}`}>
        <code>
          {highlight(body).map(({ text, kind }, index) => (
            <span key={index} class={kind}>
              {text}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
}
