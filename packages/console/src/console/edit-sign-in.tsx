import type { EaasClient } from '@eaas/sdk';
import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Failure } from '../failure.ts';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FailureView } from '../parts/states.tsx';
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
  const { faults, failure, isBusy, submit } = useSubmit();
  return (
    <Form
      title="Accept a sign-in"
      action="Accept the sign-in"
      busyText="Creating"
      isBusy={isBusy}
      failure={failure}
      faults={faults}
      onClose={onClose}
      onSubmit={() =>
        submit(faultsOf(draft), async () => onDone(await client.issuers.create(newIssuerOf(draft))))
      }
    >
      <SignInFields client={client} signals={signals} faults={faults} lives={lives} isNew />
    </Form>
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
  const { faults, failure, isBusy, submit } = useSubmit();
  const kept = expires_at === null ? 'As now: never' : `As now: ${dateTime(expires_at)}`;
  const save = async () => {
    await client.issuers.update({ issuer_id, ...changes.fields });
    onDone();
  };
  return (
    <Form
      title={`Edit ${inLine(name)}`}
      action="Save the changes"
      busyText="Saving"
      isBusy={isBusy}
      isDangerous={changes.losses.length > 0}
      isUnchanged={Object.keys(changes.fields).length === 0}
      failure={failure}
      faults={faults}
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
        faults={faults}
        lives={[['unchanged', kept], ...lives]}
        isNew={false}
      />
      <Consequences changes={changes} isOwn={false} />
    </Form>
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

interface FormProps {
  readonly title: string;
  readonly action: string;
  readonly busyText: string;
  readonly isBusy: boolean;
  readonly isDangerous?: boolean;
  readonly isUnchanged?: boolean;
  readonly failure: Failure | undefined;
  readonly faults: Faults;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly onSubmit: () => Promise<void>;
}

function Form(props: FormProps) {
  const { title, action, busyText, isBusy, isDangerous, isUnchanged = false, failure, faults } = props;
  const form = useRef<HTMLFormElement>(null);
  // The form is higher than the screen, so the first error comes into view.
  useEffect(() => {
    form.current?.querySelector('.error')?.parentElement?.scrollIntoView({ block: 'center' });
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus({ preventScroll: true });
  }, [JSON.stringify(faults)]);
  return (
    <Dialog title={title} onClose={props.onClose}>
      <form
        ref={form}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void props.onSubmit();
        }}
      >
        {props.children}
        {failure && <FailureView failure={failure} />}
        <div class="actions">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button
            kind={isDangerous ? 'danger' : 'primary'}
            type="submit"
            isBusy={isBusy}
            busyText={busyText}
            disabled={isUnchanged}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
