import { useSignal } from '@preact/signals';
import type { ReportRow } from '@eaas/sdk';
import { short } from '../parts/short.ts';
import { clockTime } from '../parts/times.ts';
import type { Played } from './play.ts';
import { Try } from './try.tsx';

interface Told {
  readonly value: string;
  /** What the log says about the person, newest first. */
  readonly rows: readonly ReportRow[];
}

export function Read({ play, sealed: { bundle, belongsTo } }: Played) {
  const user = useSignal('doctor-7');
  const read = async (): Promise<Told> => {
    const value = await play.eaas.as(user.value).decrypt(bundle, { ...belongsTo, as: 'text' });
    const rows: ReportRow[] = [];
    const { subject } = belongsTo;
    for await (const row of play.session.client.audit.report({ subject })) rows.push(row);
    return { value, rows };
  };
  return (
    <Try play={play} action="Read it as this user" input={['User', user]} work={read}>
      {(told) => <Report {...told} />}
    </Try>
  );
}

function Report({ value, rows }: Told) {
  return (
    <>
      <output class="notice good">{value}</output>
      <table>
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
