// What a user tries in a step: perhaps a text, a button, and what came of it.
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentProps } from 'preact';
import { failureOf } from '../failure.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { openDialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { FailureView } from '../parts/states.tsx';
import type { Recorded } from './exchanges.ts';
import type { Play } from './play.ts';
import { Seen } from './seen.tsx';

interface TryProps<T> {
  readonly play: Play;
  readonly action: string;
  /** The name of a text that the user can change, and the text. */
  readonly input?: readonly [string, Signal<string>];
  /** What a dialog asks first. */
  readonly asks?: Pick<ComponentProps<typeof Confirm>, 'title' | 'action' | 'children'>;
  readonly work: () => Promise<T>;
  /** What an earlier visit of the page came to. */
  readonly earlier?: Recorded<T> | undefined;
  readonly onDone?: (recorded: Recorded<T>) => void;
  /** The plaintext to search for in the requests. */
  readonly plaintextOf?: (result: T | undefined) => string | undefined;
  /** Whether the requests are shown at once. */
  readonly isOpen?: boolean | undefined;
  readonly children: (result: T) => ComponentChildren;
}

export function Try<T>(props: TryProps<T>) {
  const { play, action, input, asks, work, earlier, onDone, plaintextOf, isOpen, children } = props;
  const isBusy = useSignal(false);
  const outcome = useSignal(earlier);
  const run = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    const recorded = await play.recorder.during(work);
    outcome.value = recorded;
    isBusy.value = false;
    onDone?.(recorded);
  };
  const result = outcome.value;
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (asks) openDialog(<Confirm {...asks} work={run} />);
          else void run();
        }}
      >
        {input && <Field label={input[0]} maxLength={200} value={input[1]} />}
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          {action}
        </Button>
      </form>
      <div class="stack" aria-live="polite">
        {result?.ok && children(result.value)}
        {result && !result.ok && <FailureView failure={failureOf(result.error)} />}
        {result && result.exchanges.length > 0 && (
          <Seen
            exchanges={result.exchanges}
            value={plaintextOf?.(result.ok ? result.value : undefined)}
            isOpen={isOpen}
          />
        )}
      </div>
    </>
  );
}
