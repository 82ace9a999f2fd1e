import type { Permission } from '@eaas/protocol/wire';
import type { Failure } from '../failure.ts';
import { leave, session } from '../session.ts';
import { Button } from './button.tsx';
import { Code } from './code.tsx';
import { FailureView } from './states.tsx';

interface PageFailureProps {
  readonly failure: Failure;
  readonly needs: Permission;
  /** What the user wants, for the message "To see this page: …". Defaults to `see this page`. */
  readonly to?: string;
  readonly onRetry: () => void;
}

export function PageFailure({ failure, needs, to = 'see this page', onRetry }: PageFailureProps) {
  if (failure.kind !== 'forbidden') return <FailureView failure={failure} onRetry={onRetry} />;
  const tenant = session.value?.tenant;
  return (
    <div class="card failure forbidden" role="alert">
      <h2>
        Your API key lacks the permission <code>{needs}</code>
      </h2>
      <p>The rest of the console works as before. To {to}:</p>
      <ol class="stack ways">
        <li>
          <p>Create an API key that has the permission. Run this command where the service runs:</p>
          <Code title="In a terminal" code={signInCommand(needs, tenant)} />
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
