import { useSignal } from '@preact/signals';
import type { ReportRow } from '@eaas/sdk/audit';
import { Button } from '../parts/button.tsx';
import { short } from '../parts/short.ts';
import { FailureView, Notice } from '../parts/states.tsx';
import { clockTime } from '../parts/times.ts';
import { failureOf } from '../failure.ts';
import { Decrypted } from './decrypted.tsx';
import type { Recorded } from './exchanges.ts';
import type { Play } from './play.ts';
import { Refused } from './refused.tsx';
import { Result, Step } from './step.tsx';
import { useStep } from './use-step.ts';

interface Stored {
  readonly name: string;
  readonly subject: string;
  readonly ciphertext: string;
}

interface Told {
  readonly people: readonly Stored[];
  /** What the log says about the first person, newest first. */
  readonly rows: readonly ReportRow[];
}

export function EraseStep({ play }: { readonly play: Play }) {
  return (
    <Step
      name="erase"
      number={10}
      title="Erase one person, everywhere"
      lead="Name the person whose data a value is, the subject. Each person has a secret of their own, and the log says who read their data. One call erases the secret: the values of this person open nowhere, not in a backup of your app either, and those of everyone else still do."
    >
      <TwoPeople play={play} />
    </Step>
  );
}

function TwoPeople({ play }: { readonly play: Play }) {
  const { isBusy, outcome, run } = useStep<Told>(play);
  const round = useSignal(0);
  const start = async (): Promise<void> => {
    if (await run(() => storeAndRead(play))) round.value++;
  };
  return (
    <>
      <Button kind="primary" isBusy={isBusy} busyText="Encrypting" onClick={() => void start()}>
        Encrypt for two people
      </Button>
      <Result>
        {outcome && !outcome.ok && <Refused outcome={outcome} />}
        {outcome?.ok && <Reads {...outcome.value} />}
      </Result>
      {outcome?.ok && <Erasure key={round.value} play={play} people={outcome.value.people} />}
    </>
  );
}

/** Encrypts a note about Ada and one about Grace, reads both for a doctor, and asks who read Ada’s. */
async function storeAndRead({ eaas, session }: Play): Promise<Told> {
  const doctor = eaas.as('doctor-7');
  const people: Stored[] = [];
  for (const name of ['Ada', 'Grace']) {
    const subject = `playground-${crypto.randomUUID()}`;
    const { ciphertext } = await eaas.encrypt(`${name} is allergic to penicillin`, { subject });
    await doctor.decrypt(ciphertext, { subject });
    people.push({ name, subject, ciphertext });
  }
  const rows: ReportRow[] = [];
  const subject = people[0]?.subject ?? '';
  for await (const row of session.client.audit.report({ subject })) rows.push(row);
  return { people, rows };
}

function Reads({ rows }: Told) {
  return (
    <Notice tone="info">
      <p>Both are stored. What the log says about Ada:</p>
      <ul>
        {rows.map(({ time, action, user }, index) => (
          <li key={index}>
            {clockTime(time)} <code>{action}</code>{' '}
            {user === null ? 'by the app' : `for the user ${short(user)}`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface ErasureProps {
  readonly play: Play;
  readonly people: readonly Stored[];
}

function Erasure({ play, people }: ErasureProps) {
  const { isBusy, outcome, run } = useStep<readonly Recorded<string>[]>(play);
  const erase = (): Promise<unknown> =>
    run(async () => {
      const subject = people[0]?.subject ?? '';
      await play.session.client.subjects.erase({ subject });
      const opened: Recorded<string>[] = [];
      for (const { ciphertext, subject } of people)
        opened.push(await play.recorder.during(() => play.eaas.decrypt(ciphertext, { subject, as: 'text' })));
      return opened;
    });
  return (
    <>
      <Button kind="primary" isBusy={isBusy} busyText="Erasing" onClick={() => void erase()}>
        Erase Ada, and open both
      </Button>
      <Result>
        {outcome && !outcome.ok && <FailureView failure={failureOf(outcome.error)} />}
        {outcome?.ok &&
          outcome.value.map((opened, index) => (
            <div key={index} class="opened-of">
              <h3>{people[index]?.name}’s note</h3>
              <Decrypted outcome={opened} />
            </div>
          ))}
      </Result>
    </>
  );
}
