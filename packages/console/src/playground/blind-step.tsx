import { useSignal } from '@preact/signals';
import { failureOf } from '../failure.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { short } from '../parts/short.ts';
import { FailureView, Notice } from '../parts/states.tsx';
import { ExchangeView } from './exchange-view.tsx';
import type { Exchange } from './exchanges.ts';
import { elementsIn, type Fingerprints, fingerprintTwice } from './fingerprints.ts';
import type { Play, Sealed } from './play.ts';
import { NotYet } from './sealing-steps.tsx';
import { Searched } from './searched.tsx';
import { Result, Step } from './step.tsx';
import { useStep } from './use-step.ts';

export function BlindStep({ play }: { readonly play: Play }) {
  const sealed = play.sealed.value;
  return (
    <Step
      name="blind"
      number={6}
      title="Fingerprint a value that the service never sees"
      lead="Here the page has no index key. It hides the value in a random point of a curve. The service multiplies the point by a secret, and the page takes the randomness out again. Neither can compute the fingerprint alone."
    >
      {sealed ? <Blind key={sealed.value} play={play} sealed={sealed} /> : <NotYet />}
    </Step>
  );
}

function Blind({ play, sealed }: { readonly play: Play; readonly sealed: Sealed }) {
  const value = useSignal(sealed.value);
  const { isBusy, outcome, run } = useStep<Fingerprints>(play);

  const ask = async (event: Event): Promise<void> => {
    event.preventDefault();
    const asked = value.value;
    await run(() => fingerprintTwice(play.eaas, asked));
  };

  return (
    <>
      <form class="inline" onSubmit={(event) => void ask(event)}>
        <Field label="Fingerprint of" autocomplete="off" spellcheck={false} maxLength={200} value={value} />
        <Button kind="primary" type="submit" isBusy={isBusy} busyText="Computing">
          Compute it twice
        </Button>
      </form>
      <Result>
        {outcome?.ok && <Shown value={outcome.value} exchanges={outcome.exchanges} />}
        {outcome && !outcome.ok && <FailureView failure={failureOf(outcome.error)} />}
      </Result>
    </>
  );
}

interface ShownProps {
  readonly value: Fingerprints;
  readonly exchanges: readonly Exchange[];
}

function Shown({ value: { value, hashes }, exchanges }: ShownProps) {
  const elements = elementsIn(exchanges);
  const areEqual = hashes[0] === hashes[1];
  return (
    <>
      <div class="scroll">
        <table class="rows">
          <caption class="unseen">The two requests, and their fingerprints</caption>
          <thead>
            <tr>
              <th scope="col">request</th>
              <th scope="col">left this page</th>
              <th scope="col">fingerprint</th>
            </tr>
          </thead>
          <tbody>
            {hashes.map((hash, index) => (
              <tr key={index}>
                <th scope="row">{index + 1}</th>
                <td>
                  <code>{short(elements[index] ?? '', 18)}</code>
                </td>
                <td>
                  <code>{short(hash, 16)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Notice tone={areEqual ? 'good' : 'bad'}>
        {areEqual
          ? 'The service saw two unrelated points. The fingerprints are equal, so a database can compare them.'
          : 'The fingerprints differ. Please report this as a bug.'}
      </Notice>
      {exchanges.slice(-1).map((exchange) => (
        <ExchangeView key={exchange.request} exchange={exchange} />
      ))}
      <Searched exchanges={exchanges} value={value} />
    </>
  );
}
