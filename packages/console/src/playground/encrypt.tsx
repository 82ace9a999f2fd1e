import type { Bundle } from '@eaas/sdk';
import { Button } from '../parts/button.tsx';
import { CopyBox } from '../parts/copy.tsx';
import { Field } from '../parts/field.tsx';
import { FailureView, Notice } from '../parts/states.tsx';
import { failureOf } from '../failure.ts';
import { newOwner, type Play, type Played, type Sealed } from './play.ts';
import { Seen } from './seen.tsx';
import { Outcome } from './step.tsx';
import { useStep } from './use-step.ts';

export function Encrypt({ play }: { readonly play: Play }) {
  const { isBusy, outcome, run } = useStep<Bundle>(play);
  const sealed = play.sealed.value;
  const encrypt = async (event: Event): Promise<void> => {
    event.preventDefault();
    const [value, belongsTo] = [play.value.value, newOwner()];
    const done = await run(() => play.eaas.encrypt(value, belongsTo));
    if (done?.ok) play.sealed.value = { value, belongsTo, bundle: done.value, exchanges: done.exchanges };
  };
  return (
    <>
      <form class="inline" onSubmit={(event) => void encrypt(event)}>
        <Field label="Value" autocomplete="off" spellcheck={false} maxLength={200} value={play.value} />
        <Button kind="primary" type="submit" isBusy={isBusy} busyText="Encrypting">
          {sealed ? 'Encrypt again' : 'Encrypt'}
        </Button>
      </form>
      <div class="result" aria-live="polite">
        {outcome && !outcome.ok && <FailureView failure={failureOf(outcome.error)} />}
        {sealed && <Stored sealed={sealed} />}
      </div>
      {sealed && <Decrypt key={sealed.bundle.ciphertext} {...{ play, sealed }} />}
    </>
  );
}

function Stored({ sealed: { value, bundle, exchanges } }: { readonly sealed: Sealed }) {
  return (
    <>
      <Notice tone="good">
        Encrypted under version {bundle.key_version} of the key. This is what you store:
      </Notice>
      <CopyBox text={bundle.ciphertext} of="the ciphertext" />
      <Seen exchanges={exchanges} value={value} isOpen />
    </>
  );
}

function Decrypt({ play, sealed: { bundle, belongsTo } }: Played) {
  const { isBusy, outcome, run } = useStep<string>(play);
  const decrypt = () => run(() => play.eaas.decrypt(bundle, { ...belongsTo, as: 'text' }));
  return (
    <>
      <Button kind="primary" isBusy={isBusy} busyText="Decrypting" onClick={() => void decrypt()}>
        Decrypt
      </Button>
      <Outcome outcome={outcome}>{(value) => <output class="opened">{value}</output>}</Outcome>
    </>
  );
}
