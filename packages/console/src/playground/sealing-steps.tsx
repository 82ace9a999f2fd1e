import type { Bundle } from '@eaas/sdk';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { FailureView, Notice } from '../parts/states.tsx';
import { failureOf } from '../failure.ts';
import { ExchangeView } from './exchange-view.tsx';
import type { Exchange } from './exchanges.ts';
import { home, type Play } from './play.ts';
import { Searched } from './searched.tsx';
import { Result, Step } from './step.tsx';
import { StoredValue } from './stored-value.tsx';
import { useStep } from './use-step.ts';

export function SealingSteps({ play }: { readonly play: Play }) {
  const { isBusy, outcome, run } = useStep<Bundle>(play);
  const sealed = play.sealed.value;

  const encrypt = async (event: Event): Promise<void> => {
    event.preventDefault();
    const value = play.value.value;
    const done = await run(() => play.eaas.encrypt(value, { context: home }));
    if (done?.ok) play.sealed.value = { value, bundle: done.value, exchanges: done.exchanges };
  };

  return (
    <>
      <Step
        name="encrypt"
        number={1}
        title="Encrypt a value"
        lead={
          <>
            The SDK draws a random data key in this page, encrypts the value with it, and asks the service to
            wrap the data key. The context <code>users / 42</code> says where the value belongs.
          </>
        }
      >
        <form class="inline" onSubmit={(event) => void encrypt(event)}>
          <Field label="Value" autocomplete="off" spellcheck={false} maxLength={200} value={play.value} />
          <Button kind="primary" type="submit" isBusy={isBusy} busyText="Encrypting">
            {sealed ? 'Encrypt again' : 'Encrypt'}
          </Button>
        </form>
        <Result>
          {outcome && !outcome.ok && <FailureView failure={failureOf(outcome.error)} />}
          {sealed && (
            <Notice tone="good">
              Encrypted under version {sealed.bundle.key_version} of the key. The plaintext never left this
              page.
            </Notice>
          )}
        </Result>
      </Step>
      <Step
        name="parts"
        number={2}
        title="Look inside what you store"
        lead="One string goes into your database. It holds everything that decryption needs except the service’s key. Point at a part, or move to it with the Tab key."
      >
        {sealed ? <StoredValue stored={sealed.bundle.ciphertext} /> : <NotYet />}
      </Step>
      <Step
        name="requests"
        number={3}
        title="See what the service saw"
        lead="This is the request that your encryption made, recorded as it left this page. The service received a data key to wrap. It did not receive the value."
      >
        {sealed ? <Seen exchanges={sealed.exchanges} value={sealed.value} /> : <NotYet />}
      </Step>
    </>
  );
}

function Seen({ exchanges, value }: { readonly exchanges: readonly Exchange[]; readonly value: string }) {
  return (
    <>
      {exchanges.map((exchange, index) => (
        <ExchangeView key={index} exchange={exchange} />
      ))}
      <Searched exchanges={exchanges} value={value} />
    </>
  );
}

export function NotYet() {
  return <p class="not-yet">Encrypt a value in step 1 first.</p>;
}
