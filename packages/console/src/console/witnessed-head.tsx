// Shows what the witnesses of the public log have signed about the newest entry, and the command that verifies it.
import { useSignal } from '@preact/signals';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Inline } from '../parts/code.tsx';
import { counted } from '../parts/texts.ts';
import { FailureView } from '../parts/states.tsx';
import { dateTime } from '../parts/times.ts';
import { save } from '../parts/download.tsx';
import { signedIn } from '../session.ts';
import { readProof } from './witnessed.ts';

/** Shows which entry witnesses have seen, in their words. Asks only when told to, because many services have no public log. */
export function WitnessedHead() {
  const { client } = signedIn();
  const isAsked = useSignal(false);
  const { value, failure, reload } = useLoaded(
    async (signal) => (isAsked.value ? client.audit.proof({}, { signal }) : undefined),
    [isAsked.value],
  );
  if (failure) return <FailureView failure={failure} onRetry={reload} />;
  const stated = value && readProof(value.proof);
  if (!stated) {
    return (
      <div class="proof">
        <Button
          onClick={() => {
            isAsked.value = true;
          }}
        >
          Show the proof of the public log
        </Button>
      </div>
    );
  }
  const { id, witnesses } = stated;
  const latest = witnesses.at(-1)?.time.toISOString();
  return (
    <section class="spread small proof" aria-labelledby="witnessed-title">
      <div>
        <h2 id="witnessed-title">Entry {id.toLocaleString('en')} is in the public log</h2>
        {latest === undefined ? (
          <p>No witness has signed it yet.</p>
        ) : (
          <p>
            {counted(witnesses.length, 'witness says', 'witnesses say')}: it existed before{' '}
            <time dateTime={latest}>{dateTime(latest)}</time>. They are{' '}
            {witnesses.map(({ name }) => name).join(', ')}.
          </p>
        )}
        <p class="soft">
          This page has not verified that. Check it yourself, on your own machine:{' '}
          <Inline
            code={`npx --no-install @eaas/cli audit verify-file --proof entry-${id}.tlog-proof --policy policy.txt`}
          />
        </p>
      </div>
      <Button onClick={() => save(new Blob([value.proof], { type: 'text/plain' }), `entry-${id}.tlog-proof`)}>
        Save the proof
      </Button>
    </section>
  );
}
