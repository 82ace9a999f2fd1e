import type { EaasClient } from '@eaas/sdk';
import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import { useWork } from '../load.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { dateTime } from '../parts/times.ts';
import { lives } from './api-key-draft.ts';
import { Consequences } from './edit-api-key.tsx';
import {
  draftIn,
  draftOf,
  emptyDraft,
  type Faults,
  faultsOf,
  fieldIn,
  type IssuerRecord,
  newIssuerOf,
  signInChanges,
  useSignInDraft,
} from './sign-in-draft.ts';
import { SignInFields } from './sign-in-form.tsx';

interface CreateSignInProps {
  readonly client: EaasClient;
  readonly onClose: () => void;
  readonly onDone: (issuer: IssuerRecord) => void;
}

export function CreateSignIn({ client, onClose, onDone }: CreateSignInProps) {
  const signals = useSignInDraft(emptyDraft);
  const draft = draftIn(signals);
  const { submit, ...state } = useSubmit();
  return (
    <FormDialog
      title="Accept a sign-in"
      action="Accept the sign-in"
      busyText="Creating"
      {...state}
      onClose={onClose}
      onSubmit={() =>
        submit(faultsOf(draft), async () => onDone(await client.issuers.create(newIssuerOf(draft))))
      }
    >
      <SignInFields client={client} signals={signals} faults={state.faults} lives={lives} isNew />
    </FormDialog>
  );
}

interface EditSignInProps {
  readonly client: EaasClient;
  readonly issuer: IssuerRecord;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function EditSignIn({ client, issuer, onClose, onDone }: EditSignInProps) {
  const { issuer_id, name, expires_at } = issuer;
  const signals = useSignInDraft(draftOf(issuer));
  const draft = draftIn(signals);
  const changes = signInChanges(issuer, draft);
  const { submit, ...state } = useSubmit();
  const kept = expires_at === null ? 'As now: never' : `As now: ${dateTime(expires_at)}`;
  const save = async () => {
    await client.issuers.update({ issuer_id, ...changes.fields });
    onDone();
  };
  return (
    <FormDialog
      title={`Edit ${inLine(name)}`}
      action="Save the changes"
      busyText="Saving"
      {...state}
      isDangerous={changes.losses.length > 0}
      isDisabled={Object.keys(changes.fields).length === 0}
      onClose={onClose}
      onSubmit={() => submit(faultsOf(draft), save)}
    >
      <p class="soft">
        The issuer, the audience, and whose data its users open never change: for others, accept another
        sign-in.
      </p>
      <SignInFields
        client={client}
        signals={signals}
        faults={state.faults}
        lives={[['unchanged', kept], ...lives]}
        isNew={false}
      />
      <Consequences changes={changes} isOwn={false} />
    </FormDialog>
  );
}

/** Shows what is wrong beside its field, whether the page or the service found it. */
function useSubmit() {
  const own = useSignal<Faults>({});
  const { isBusy, failure, run } = useWork();
  const field = failure?.kind === 'refused' ? fieldIn(failure.detail) : undefined;
  const faults: Faults = { ...(field && { [field]: failure?.detail }), ...own.value };
  const submit = async (found: Faults, work: () => Promise<unknown>): Promise<void> => {
    own.value = found;
    if (Object.keys(found).length === 0) await run(work);
  };
  return { faults, failure: field ? undefined : failure, isBusy, submit };
}
