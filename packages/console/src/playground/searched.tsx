import { counted } from '../parts/short.ts';
import { Notice } from '../parts/states.tsx';
import { contains } from './envelope-parts.ts';
import type { Exchange } from './exchanges.ts';

interface SearchedProps {
  readonly exchanges: readonly Exchange[];
  readonly value: string;
}

export function Searched({ exchanges, value }: SearchedProps) {
  if (value.length < 4)
    return <Notice tone="info">The value is too short to search for in the request.</Notice>;
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
