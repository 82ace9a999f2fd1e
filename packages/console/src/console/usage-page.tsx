// How many data keys the service wrapped and unwrapped in each month, and how far the quota of this month is used.
import { useLoaded } from '../load.ts';
import { Once } from '../parts/once.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { signedIn } from '../session.ts';
import { isUsed, lastMonths, monthName, type Month, operations, sinceFirstUse } from './months.ts';

const months = 12;

export function Usage() {
  const loaded = useLoaded(readMonths, []);
  return (
    <>
      <PageHead
        title="Usage"
        lead={
          'Data keys that the service wrapped and unwrapped in the last twelve months, by calendar month in ' +
          'UTC. One data key can encrypt many values.'
        }
      />
      <Once loaded={loaded} text="Loading the usage" needs="usage.read">
        {(value) =>
          !value.some(isUsed) ? (
            <Empty title="Nothing was used yet">
              This page shows the usage by month after an application encrypts or decrypts.
            </Empty>
          ) : (
            <>
              <Quota month={value.at(-1)} />
              <Table
                caption="Usage by month, newest first"
                columns={columns}
                rows={sinceFirstUse(value).toReversed()}
                keyOf={({ month }) => month}
              />
            </>
          )
        }
      </Once>
    </>
  );
}

/** Reads one month first, so that a session without the permission gets one refusal instead of one for each month. */
async function readMonths(signal: AbortSignal): Promise<readonly Month[]> {
  const { client } = signedIn();
  const [first = '', ...rest] = lastMonths(months);
  const read = (month: string): Promise<Month> => client.usage({ month }, { signal });
  return [await read(first), ...(await Promise.all(rest.map(read)))];
}

function Quota({ month }: { readonly month: Month | undefined }) {
  if (!month || month.encrypt_quota === null) return null;
  const { encrypt_quota: quota, operations } = month;
  return (
    <p class="stack quota">
      <label for="quota">
        Server-mode encryptions this month: {operations.encrypt.toLocaleString('en')} of{' '}
        {quota.toLocaleString('en')}
      </label>
      <meter id="quota" min={0} max={quota} high={quota * 0.8} value={operations.encrypt} />
    </p>
  );
}

const columns: readonly Column<Month>[] = [
  { title: 'Month', cell: ({ month }) => monthName(month) },
  ...operations.map(([operation, title]) => ({
    title,
    kind: 'number' as const,
    cell: (month: Month) => month.operations[operation].toLocaleString('en'),
  })),
];
