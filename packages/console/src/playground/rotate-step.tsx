import { useSignal } from '@preact/signals';
import { failureOf } from '../failure.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { FailureView, Notice } from '../parts/states.tsx';
import { keyName } from './own-keys.ts';
import { home, type Play, type Sealed } from './play.ts';
import { NotYet } from './sealing-steps.tsx';
import { Result, Step } from './step.tsx';
import { useStep } from './use-step.ts';

interface Rotated {
  readonly value: string;
  readonly before: number;
  readonly after: number;
}

export function RotateStep({ play }: { readonly play: Play }) {
  const sealed = play.sealed.value;
  return (
    <Step
      name="rotate"
      number={11}
      title="Rotate the key, and still read the old value"
      lead={
        <>
          Rotation makes a new version of the key. New values use it. Old values contain their version number
          and still decrypt, so nothing in your database has to change. This step rotates only{' '}
          <code>{keyName}</code>, the playground’s own key.
        </>
      }
    >
      {sealed ? <Rotate key={sealed.bundle.ciphertext} play={play} sealed={sealed} /> : <NotYet />}
    </Step>
  );
}

function Rotate({ play, sealed }: { readonly play: Play; readonly sealed: Sealed }) {
  const { isBusy, outcome, run } = useStep<Rotated>(play);
  const isAsking = useSignal(false);
  const { eaas, keyId, session } = play;
  const rotate = async (): Promise<Rotated> => {
    await eaas.keys.rotate({ key_id: keyId });
    const value = await eaas.decrypt(sealed.bundle, { as: 'text', context: home });
    const renewed = await eaas.encrypt(value, { context: home, fresh: true });
    return { value, before: sealed.bundle.key_version, after: renewed.key_version };
  };
  const begin = (): void => {
    if (session.isDevelopment) void run(rotate);
    else isAsking.value = true;
  };
  const close = (): void => void (isAsking.value = false);
  return (
    <>
      <Button kind="primary" isBusy={isBusy} busyText="Rotating" onClick={begin}>
        Rotate the key for real
      </Button>
      {isAsking.value && (
        <Confirm
          title={`Rotate ${keyName}`}
          action="Rotate the key"
          busyText="Rotating"
          work={() => run(rotate)}
          onDone={close}
          onClose={close}
        >
          <p>
            The key <code>{keyName}</code> of this tenant gets a new version, and the audit log records it. No
            other key changes.
          </p>
        </Confirm>
      )}
      <Result>
        {outcome?.ok && (
          <>
            <dl class="versions">
              <div>
                <dt>The old value, version {outcome.value.before}</dt>
                <dd>
                  opens: <code>{outcome.value.value}</code>
                </dd>
              </div>
              <div>
                <dt>A new encryption of it</dt>
                <dd>
                  is under <code>version {outcome.value.after}</code>
                </dd>
              </div>
            </dl>
            <Notice tone="good">
              The key has {outcome.value.after} versions now, and all of them decrypt.
            </Notice>
          </>
        )}
        {outcome && !outcome.ok && <FailureView failure={failureOf(outcome.error)} />}
      </Result>
    </>
  );
}
