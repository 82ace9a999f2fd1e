import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Notice } from '../parts/states.tsx';
import { keyName } from './own-key.ts';
import type { Played } from './play.ts';
import { Outcome } from './step.tsx';
import { useStep } from './use-step.ts';

interface Rotated {
  readonly value: string;
  readonly after: number;
}

export function Rotate({ play, sealed: { bundle, belongsTo } }: Played) {
  const { isBusy, outcome, run } = useStep<Rotated>(play);
  const isAsking = useSignal(false);
  const { eaas, keyId, session } = play;
  const rotate = async (): Promise<Rotated> => {
    await eaas.keys.rotate({ key_id: keyId });
    const value = await eaas.decrypt(bundle, { ...belongsTo, as: 'text' });
    const renewed = await eaas.encrypt(value, { ...belongsTo, fresh: true });
    return { value, after: renewed.key_version };
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
      <Outcome outcome={outcome}>
        {({ value, after }) => (
          <Notice tone="good">
            <p>
              The old value, under version {bundle.key_version}, still opens: <code>{value}</code>
            </p>
            <p>A new encryption of it is under version {after}.</p>
          </Notice>
        )}
      </Outcome>
    </>
  );
}
