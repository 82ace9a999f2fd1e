import { useSignal } from '@preact/signals';
import type { ReportRow } from '@eaas/sdk';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { short } from '../parts/short.ts';
import { clockTime } from '../parts/times.ts';
import type { Played } from './play.ts';
import { Outcome } from './step.tsx';
import { useStep } from './use-step.ts';

interface Told {
  readonly value: string;
  /** What the log says about the person, newest first. */
  readonly rows: readonly ReportRow[];
}

export function Read({ play, sealed: { bundle, belongsTo } }: Played) {
  const user = useSignal('doctor-7');
  const { isBusy, outcome, run } = useStep<Told>(play);
  const read = async (event: Event): Promise<void> => {
    event.preventDefault();
    await run(async () => {
      const value = await play.eaas.as(user.value).decrypt(bundle, { ...belongsTo, as: 'text' });
      const rows: ReportRow[] = [];
      const { subject } = belongsTo;
      for await (const row of play.session.client.audit.report({ subject })) rows.push(row);
      return { value, rows };
    });
  };
  return (
    <>
      <form class="inline" onSubmit={(event) => void read(event)}>
        <Field label="User" autocomplete="off" spellcheck={false} maxLength={100} required value={user} />
        <Button kind="primary" type="submit" isBusy={isBusy} busyText="Reading">
          Read it as this user
        </Button>
      </form>
      <Outcome outcome={outcome}>{(told) => <Report {...told} />}</Outcome>
    </>
  );
}

function Report({ value, rows }: Told) {
  return (
    <>
      <output class="opened">{value}</output>
      <table class="rows">
        <caption class="unseen">What the log says about the person, newest first</caption>
        <thead>
          <tr>
            <th scope="col">time</th>
            <th scope="col">action</th>
            <th scope="col">user</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, action, user }, index) => (
            <tr key={index}>
              <th scope="row">{clockTime(time)}</th>
              <td>
                <code>{action}</code>
              </td>
              <td>{user === null ? 'only the app' : <code title={user}>{short(user, 12)}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
