// What stands in place of content: that it loads, that there is none, or why it failed and how to get it.
import type { Permission } from '@eaas/protocol/wire';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Failure } from '../failure.ts';
import { leave, session } from '../session.ts';
import { Button } from './button.tsx';
import { Code } from './code.tsx';
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
  /** The permission without which a whole page is not shown. */
  readonly needs?: Permission;
  /** What the user wants, for the message "To see this page: …". */
  readonly to?: string | undefined;
}

export function FailureView({ failure, onRetry, needs, to = 'see this page' }: FailureProps) {
  const { kind, title, detail, advice, requestId } = failure;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [failure]);
  if (kind === 'forbidden' && needs) return <Lacking needs={needs} to={to} />;
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

function Lacking({ needs, to }: { readonly needs: Permission; readonly to: string }) {
  return (
    <div class="card failure forbidden" role="alert">
      <h2>
        Your API key lacks the permission <code>{needs}</code>
      </h2>
      <p>The rest of the console works as before. To {to}:</p>
      <ol class="stack ways">
        <li>
          <p>Create an API key that has the permission. Run this command where the service runs:</p>
          <Code title="In a terminal" code={signInCommand(needs, session.value?.tenant)} />
        </li>
        <li>
          <p>Sign in with the API key that the command prints.</p>
          <Button kind="primary" onClick={() => leave('left')}>
            Sign in with another API key
          </Button>
        </li>
      </ol>
    </div>
  );
}

const ofPlayground: readonly Permission[] = ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'audit.read'];

function signInCommand(needs: Permission, tenant = '<tenant>'): string {
  const permissions = [...new Set([...ofPlayground, needs])].join(',');
  const name = /^[\w<>-]+$/.test(tenant) ? tenant : `'${tenant.replaceAll("'", `'\\''`)}'`;
  return `npx --no-install @eaas/cli api-key create --tenant ${name} --name console \\\n  --permissions ${permissions}`;
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
