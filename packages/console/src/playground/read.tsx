// The third step: reads the value for a named user, and shows what the log then says about the person.
import { useSignal } from '@preact/signals';
import type { ReportRow } from '@eaas/sdk';
import { short } from '../parts/texts.ts';
import { type Column, Table } from '../parts/table.tsx';
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
      <Table
        caption="What the log says about the person, newest first"
        columns={columns}
        rows={rows}
        keyOf={(_, index) => index}
      />
    </>
  );
}

const columns: readonly Column<ReportRow>[] = [
  { title: 'time', cell: ({ time }) => clockTime(time) },
  { title: 'action', cell: ({ action }) => <code>{action}</code> },
  {
    title: 'user',
    cell: ({ user }) => (user === null ? 'only the app' : <code title={user}>{short(user, 12)}</code>),
  },
];
