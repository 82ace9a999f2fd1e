import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Failure } from '../failure.ts';
import { Button } from './button.tsx';
import { Prose } from './prose.tsx';

export function Loading({ text }: { readonly text: string }) {
  return (
    <p class="soft" role="status">
      {text}…
    </p>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="card empty">
      <h2>{title}</h2>
      <p class="soft">{children}</p>
      {action}
    </div>
  );
}

interface FailureProps {
  readonly failure: Failure;
  readonly onRetry?: (() => void) | undefined;
}

export function FailureView({ failure, onRetry }: FailureProps) {
  const { kind, title, detail, advice, requestId } = failure;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [failure]);
  const canRetry = onRetry && (kind === 'away' || kind === 'refused');
  return (
    <div ref={place} class={`card failure ${kind}`} role="alert">
      <h2>{title}</h2>
      <p>
        <Prose text={detail} />
      </p>
      {advice !== '' && (
        <p>
          <Prose text={advice} />
        </p>
      )}
      {requestId && (
        <p class="soft">
          Request <code>{requestId}</code>
        </p>
      )}
      {canRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

interface NoticeProps {
  readonly tone: 'info' | 'good' | 'warn' | 'bad';
  readonly children: ComponentChildren;
}

export function Notice({ tone, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' || tone === 'warn' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
