// Finds out whether the session has a permission before it asks for a confirmation that would be in vain.
import { type EaasClient, EaasError } from '@eaas/sdk';
import type { Permission } from '@eaas/protocol/wire';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Confirm, type ConfirmProps } from '../parts/confirm.tsx';
import { closeDialog, Dialog } from '../parts/dialog.tsx';
import { Once } from '../parts/once.tsx';
import { signedIn } from '../session.ts';

export interface Permit {
  readonly needs: Permission;
  /** What the user wants, for the message "To erase a person: …". */
  readonly to: string;
  /** Makes the call for an id that nothing has. The service checks permissions first, so it changes and logs nothing. */
  readonly probe: (client: EaasClient) => Promise<unknown>;
}

/** Asks once the session has the permission, so that nobody types a name in vain. */
export function ConfirmPermitted({ needs, to, probe, ...asked }: Permit & ConfirmProps) {
  const loaded = useLoaded(() => isPermitted(probe), []);
  if (loaded.value && !loaded.failure) return <Confirm {...asked} />;
  return (
    <Dialog title={asked.title}>
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

async function isPermitted(probe: Permit['probe']): Promise<true> {
  const { client, isDevelopment } = signedIn();
  if (isDevelopment) return true;
  await probe(client).catch((error: unknown) => {
    if (!(error instanceof EaasError) || error.code !== 'not_found') throw error;
  });
  return true;
}
