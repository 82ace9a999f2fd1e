import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { Select } from '../parts/field.tsx';
import { Decrypted } from './decrypted.tsx';
import { differencesOf, flipBit, partsOf, type PartName } from './envelope-parts.ts';
import { home, type Play, type Sealed } from './play.ts';
import { NotYet } from './sealing-steps.tsx';
import { Result, Step } from './step.tsx';
import { useStep } from './use-step.ts';

interface Inputs {
  readonly play: Play;
  readonly sealed: Sealed;
}

export function DecryptStep({ play }: { readonly play: Play }) {
  const sealed = play.sealed.value;
  return (
    <Step
      name="decrypt"
      number={4}
      title="Decrypt it"
      lead="The SDK sends the wrapped key to the service, which unwraps it and records an audit entry. The page decrypts the value with the returned data key."
    >
      {sealed ? <Decrypt key={sealed.bundle.ciphertext} play={play} sealed={sealed} /> : <NotYet />}
    </Step>
  );
}

function Decrypt({ play, sealed }: Inputs) {
  const { isBusy, outcome, run } = useStep<string>(play);
  const decrypt = () => run(() => play.eaas.decrypt(sealed.bundle, { as: 'text', context: home }));
  return (
    <>
      <Button kind="primary" isBusy={isBusy} busyText="Decrypting" onClick={() => void decrypt()}>
        Decrypt
      </Button>
      <Result>
        <Decrypted outcome={outcome} showsRequests />
      </Result>
    </>
  );
}

export function FlipStep({ play }: { readonly play: Play }) {
  const sealed = play.sealed.value;
  return (
    <Step
      name="flip"
      number={7}
      title="Change one bit, and see it refused"
      lead="Someone with write access to your database changes a stored value. Choose the changed part. The value does not decrypt, whichever part you choose."
    >
      {sealed ? <Flip key={sealed.bundle.ciphertext} play={play} sealed={sealed} /> : <NotYet />}
    </Step>
  );
}

function Flip({ play, sealed }: Inputs) {
  const { isBusy, outcome, run } = useStep<string>(play);
  const stored = sealed.bundle.ciphertext;
  const parts = partsOf(stored);
  const chosen = useSignal<string>('ciphertext' satisfies PartName);
  const flipped = useSignal('');

  const flip = (): void => {
    const part = parts.find(({ name }) => name === chosen.value);
    if (!part) return;
    const altered = flipBit(stored, part);
    flipped.value = altered;
    void run(() => play.eaas.decrypt(altered, { as: 'text', context: home }));
  };

  return (
    <>
      <div class="inline">
        <Select
          label="Change one bit of"
          value={chosen}
          options={parts.map(({ name, title }) => [name, title.toLowerCase()])}
        />
        <Button kind="primary" isBusy={isBusy} busyText="Decrypting" onClick={flip}>
          Flip the bit and decrypt
        </Button>
      </div>
      <Result>
        {flipped.value !== '' && <Altered before={stored} after={flipped.value} />}
        <Decrypted outcome={outcome} />
      </Result>
    </>
  );
}

function Altered({ before, after }: { readonly before: string; readonly after: string }) {
  const changed = differencesOf(before, after);
  const [first = 0] = changed;
  const end = (changed.at(-1) ?? first) + 1;
  return (
    <p class="altered">
      <code>
        …{after.slice(Math.max(0, first - 24), first)}
        <del>{before.slice(first, end)}</del> → <ins>{after.slice(first, end)}</ins>
        {after.slice(end, end + 24)}…
      </code>
    </p>
  );
}

export function MoveStep({ play }: { readonly play: Play }) {
  const sealed = play.sealed.value;
  return (
    <Step
      name="move"
      number={8}
      title="Copy it to another row, and see it refused"
      lead="Someone copies Ada’s stored value into row 43 to read it there. The string is unchanged, but it was encrypted for row 42."
    >
      {sealed ? <Move key={sealed.bundle.ciphertext} play={play} sealed={sealed} /> : <NotYet />}
    </Step>
  );
}

function Move({ play, sealed }: Inputs) {
  const { isBusy, outcome, run } = useStep<string>(play);
  const elsewhere = { ...home, row: '43' };
  const move = () => run(() => play.eaas.decrypt(sealed.bundle, { as: 'text', context: elsewhere }));
  return (
    <>
      <Button kind="primary" isBusy={isBusy} busyText="Decrypting" onClick={() => void move()}>
        Decrypt it in row 43
      </Button>
      <Result>
        <Decrypted outcome={outcome} />
      </Result>
    </>
  );
}
