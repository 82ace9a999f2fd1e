// The dialog in which a key, an API key or a sign-in is made or changed, with what the change takes away and allows.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useWork } from '../load.ts';
import { Consequences } from './consequences.tsx';
import { finishDialog } from './dialog.tsx';
import { type Faults, fieldIn, type Fields, openForm, withoutNames } from './form.ts';
import { FormDialog } from './form-dialog.tsx';

interface RecordDialogProps<Body, Whole> {
  readonly title: string;
  readonly action: string;
  readonly fields: Fields<Body, Whole>;
  /** What is changed. Undefined for a new record. */
  readonly record?: Whole;
  /** Whether the user is signed in with the record. */
  readonly isOwn?: boolean;
  readonly send: (body: Body) => Promise<unknown>;
  readonly children?: ComponentChildren;
}

/** The form of a record, for a new one and for a change. What is wrong is beside its field, whoever found it. */
export function RecordDialog<Body extends object, Whole>({
  fields,
  record,
  isOwn = false,
  send,
  children,
  ...dialog
}: RecordDialogProps<Body, Whole>) {
  const form = useMemo(() => openForm(fields, record), []);
  const own = useSignal<Faults>({});
  const { failure, isBusy, run } = useWork();
  const named = failure?.kind === 'refused' ? fieldIn(failure.detail, form) : undefined;
  const faults: Faults = { ...(named && { [named]: failure && withoutNames(failure.detail) }), ...own.value };
  const says = form.says();
  const submit = async (): Promise<void> => {
    own.value = form.faults();
    if (Object.keys(own.value).length === 0) await run(() => finishDialog(() => send(form.body())));
  };
  return (
    <FormDialog
      {...dialog}
      isBusy={isBusy}
      failure={named ? undefined : failure}
      faults={faults}
      isDangerous={says.losses.length > 0}
      isDisabled={record !== undefined && Object.keys(form.body()).length === 0}
      onSubmit={submit}
    >
      {children}
      {form.asked.map(({ name, value, field: { View } }) => {
        const props = { value, error: faults[name], form };
        return View && <View key={name} {...props} />;
      })}
      {says.losses.length + says.gains.length > 0 && (
        <div class="stack" aria-live="polite">
          <h3>From the moment you save</h3>
          <Consequences texts={says.losses.length > 0 ? [...says.losses, later] : []} />
          <Consequences texts={says.gains} isMild />
          {isOwn && (
            <p>
              <strong>You are signed in with this API key. The changes apply to this page.</strong>
            </p>
          )}
        </div>
      )}
    </FormDialog>
  );
}

const later = 'Data keys that a client has in memory work for at most five minutes more.';
