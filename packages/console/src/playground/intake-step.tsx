import { useSignal } from '@preact/signals';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Copy } from '../parts/copy.tsx';
import { Field } from '../parts/field.tsx';
import { counted, short } from '../parts/short.ts';
import { FailureView, Notice } from '../parts/states.tsx';
import { Decrypted } from './decrypted.tsx';
import { type Form, openForm, submit, type Submission } from './form.ts';
import { formKeyName } from './own-keys.ts';
import type { Play } from './play.ts';
import { Result, Step } from './step.tsx';
import { useStep } from './use-step.ts';

interface Written {
  readonly form: Form;
  readonly submission: Submission;
}

export function IntakeStep({ play }: { readonly play: Play }) {
  return (
    <Step
      name="intake"
      number={9}
      title="Let anyone write, and only you read"
      lead={
        <>
          A contact form has no API key. It encrypts with the public key of an intake key, and cannot decrypt
          what it wrote. Your back office decrypts it like every other value. This step uses the intake key{' '}
          <code>{formKeyName}</code>.
        </>
      }
    >
      <ContactForm play={play} />
    </Step>
  );
}

function ContactForm({ play }: { readonly play: Play }) {
  const message = useSignal('Please call me back.');
  const written = useSignal<Written | undefined>(undefined);
  const { isBusy, failure, run } = useWork();

  const write = async (event: Event): Promise<void> => {
    event.preventDefault();
    await run(async () => {
      const form = written.value?.form ?? (await openForm(play.session, play.formKeyId));
      written.value = { form, submission: await submit(form, message.value) };
    });
  };

  return (
    <>
      <form class="inline" onSubmit={(event) => void write(event)}>
        <Field label="Message" autocomplete="off" maxLength={200} value={message} />
        <Button kind="primary" type="submit" isBusy={isBusy} busyText="Encrypting">
          Write with the public key
        </Button>
      </form>
      <Result>
        {failure && <FailureView failure={failure} />}
        {written.value && !failure && <Sent {...written.value} />}
      </Result>
      {written.value && !failure && (
        <BackOffice key={written.value.submission.ciphertext} play={play} {...written.value} />
      )}
    </>
  );
}

function Sent({ form: { publicKey, intake }, submission: { ciphertext } }: Written) {
  return (
    <>
      <LongText title={`The form has: the public key of version ${intake.keyVersion}`} text={publicKey} />
      <LongText title={`The form sends: ${counted(ciphertext.length, 'character')}`} text={ciphertext} />
      <Notice tone="good">
        The form encrypted without an API key and without a request. It has nothing that could decrypt.
      </Notice>
    </>
  );
}

function LongText({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="stored">
      <div class="stored-head">
        <span>{title}</span>
        <Copy text={text} of="the whole text" />
      </div>
      <p class="stored-text brief">{short(text, 120)}</p>
    </div>
  );
}

function BackOffice({ play, form, submission }: Written & { readonly play: Play }) {
  const { isBusy, outcome, run } = useStep<string>(play);
  const { ciphertext, context } = submission;
  const { keyId } = form.intake;
  const read = () => run(() => play.eaas.decrypt(ciphertext, { keyId, as: 'text', context }));
  return (
    <>
      <Button kind="primary" isBusy={isBusy} busyText="Decrypting" onClick={() => void read()}>
        Read it in the back office
      </Button>
      <Result>
        <Decrypted outcome={outcome} showsRequests />
      </Result>
    </>
  );
}
