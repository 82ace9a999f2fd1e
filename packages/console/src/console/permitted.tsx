import { EaasError } from '@eaas/sdk';
import type { Permission } from '@eaas/protocol/wire';
import type { ComponentChildren } from 'preact';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { closeDialog, Dialog } from '../parts/dialog.tsx';
import { Once } from '../parts/once.tsx';
import { signedIn } from '../session.ts';

interface PermittedProps {
  readonly title: string;
  readonly needs: Permission;
  /** What the user wants, for the message "To erase a person: …". */
  readonly to: string;
  /** Makes the call for an id that nothing has. The service checks permissions first, so it changes and logs nothing. */
  readonly probe: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

/** Shows its children once the session has the permission, so that nobody types a name in vain. */
export function Permitted({ title, needs, to, probe, children }: PermittedProps) {
  const { isDevelopment: isSure } = signedIn();
  const loaded = useLoaded(async () => isSure || (await isPermitted(probe)), []);
  if (loaded.value && !loaded.failure) return <>{children}</>;
  return (
    <Dialog title={title}>
      <div class="stack">
        <Once loaded={loaded} text="Checking the permission" needs={needs} to={to}>
          {() => null}
        </Once>
        <div class="row actions">
          <Button onClick={closeDialog}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

async function isPermitted(probe: () => Promise<unknown>): Promise<true> {
  await probe().catch((error: unknown) => {
    if (!(error instanceof EaasError) || error.code !== 'not_found') throw error;
  });
  return true;
}
