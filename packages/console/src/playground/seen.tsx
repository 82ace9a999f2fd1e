// Shows the requests of a step and their responses, and looks for the plaintext in them.
import { Code } from '../parts/code.tsx';
import { counted } from '../parts/texts.ts';
import { Notice } from '../parts/states.tsx';
import { contains, type Exchange, shown } from './exchanges.ts';

interface SeenProps {
  readonly exchanges: readonly Exchange[];
  /** The plaintext to search for in the requests. */
  readonly value?: string | undefined;
  readonly isOpen?: boolean | undefined;
}

/** What the service saw: the recorded requests and responses. */
export function Seen({ exchanges, value, isOpen = false }: SeenProps) {
  return (
    <>
      <details open={isOpen}>
        <summary>What the service saw: {counted(exchanges.length, 'request')}</summary>
        {exchanges.map(({ method, path, request, status, response }, index) => (
          <div key={index} class="exchange">
            <Code title={`${method} ${path}`} code={shown(request)} />
            <Code title={`Response ${status}`} code={shown(response)} />
          </div>
        ))}
      </details>
      {value !== undefined && <Searched exchanges={exchanges} value={value} />}
    </>
  );
}

function Searched({ exchanges, value }: { readonly exchanges: readonly Exchange[]; readonly value: string }) {
  if (value.length < 4) {
    return <Notice tone="info">The value is too short to search for in the requests.</Notice>;
  }
  const isSeen = exchanges.some(({ request, path }) => contains(request + path, value));
  const requests = exchanges.length === 1 ? 'the request' : counted(exchanges.length, 'request');
  return (
    <Notice tone={isSeen ? 'bad' : 'good'}>
      {isSeen
        ? 'The request contains the value. Please report this as a vulnerability.'
        : `This page searched ${requests} for “${value}”, as text, base64 and hex. It is not there.`}
    </Notice>
  );
}
