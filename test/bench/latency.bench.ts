// One wrap at a time, as an app with little to do waits for it, and what its time consists of.
import { fileURLToPath } from 'node:url';
import { newKey } from '@eaas/test-kit/faults/place';
import { median } from '@eaas/test-kit/statistics';
import { dek } from '@eaas/test-kit/world';
import { openPool, type Pool } from '../../packages/server/src/postgres/sql.ts';
import { Burst, postRequest } from './burst.ts';
import type { Defer, Report } from './compare.ts';
import { openOperator, startDeferred } from './open-operator.ts';

/** V8 compiles a function to fast code only after many calls. */
const warmUpRequests = 20_000;
const callsPerRound = 100;
const rounds = 9;
/** The first rounds are ignored, because the caches of the processors still hold data of the warm-up. */
const ignoredRounds = 2;

const benchServer = fileURLToPath(new URL('bench-server.ts', import.meta.url));
const withoutLog = [process.execPath, '--conditions=@eaas/source', '--import', 'tsx', benchServer];

type Work = () => Promise<unknown>;

interface Works {
  readonly wrap: Work;
  /** On a server that does all of a wrap but the append. */
  readonly wrapWithoutLog: Work;
  readonly emptyPost: Work;
  readonly commit: Work;
  readonly commitWithoutFlush: Work;
  readonly roundTrip: Work;
}

export const benchmark: Report = {
  name: 'latency',
  about: `one wrap at a time after ${warmUpRequests.toLocaleString('en')} wraps, beside an empty POST and a commit of one row`,
  async *report(defer) {
    const times = await measure(await openWorks(defer));
    const ofReference = times.emptyPost + times.commit;
    yield `a wrap takes ${microseconds(times.wrap)}, an empty POST and a commit of one row ${microseconds(ofReference)}: ${(ofReference / times.wrap).toFixed(2)}`;
    const parts = {
      'HTTP (an empty POST)': times.emptyPost,
      'admission, rules, crypto, the link': times.wrapWithoutLog - times.emptyPost,
      'append in PostgreSQL': times.wrap - times.wrapWithoutLog,
      'a round trip to PostgreSQL': times.roundTrip,
      'a commit of one row': times.commit,
      'the WAL flush of the commit': times.commit - times.commitWithoutFlush,
    };
    for (const [name, time] of Object.entries(parts)) yield `  ${name}: ${microseconds(time)}`;
  },
};

const microseconds = (milliseconds: number): string => `${(milliseconds * 1_000).toFixed(0)} µs`;

async function openWorks(defer: Defer): Promise<Works> {
  const { env, newTenant, postgres } = await openOperator(defer);
  const server = await startDeferred(defer, env);
  const serverWithoutLog = await startDeferred(defer, env, withoutLog);
  const { token } = await newTenant();
  const keyId = await newKey(server, token);
  const headers = { Authorization: `Bearer ${token}` };
  const wrapRequest = postRequest(`/v1/keys/${keyId}/wrap`, headers, { dek });
  const emptyRequest = postRequest('/empty', headers, {});

  const warmUp = async (port: number, request: string): Promise<void> => {
    const many = await Burst.open(port, request, 64);
    await many.run(warmUpRequests);
    many.close();
  };
  /** A server closes a connection on which no request comes, so it is opened once all are warm. */
  const posting = async (port: number, request: string): Promise<Work> => {
    const single = await Burst.open(port, request, 1);
    defer(() => single.close());
    return () => single.run(1);
  };
  const connect = async (synchronousCommit: 'on' | 'off'): Promise<Pool> => {
    const sql = openPool(postgres.connection('owner'), 1);
    defer(() => sql.end());
    await sql.unsafe(`set synchronous_commit = ${synchronousCommit}`);
    return sql;
  };
  const durable = await connect('on');
  const volatile = await connect('off');
  await durable`create table bench_rows (content text)`;
  const inserting =
    (sql: Pool): Work =>
    () =>
      sql`insert into bench_rows values (${'x'.repeat(200)})`;

  await warmUp(server.port, wrapRequest);
  await warmUp(serverWithoutLog.port, wrapRequest);
  await warmUp(serverWithoutLog.port, emptyRequest);
  return {
    wrap: await posting(server.port, wrapRequest),
    wrapWithoutLog: await posting(serverWithoutLog.port, wrapRequest),
    emptyPost: await posting(serverWithoutLog.port, emptyRequest),
    commit: inserting(durable),
    commitWithoutFlush: inserting(volatile),
    roundTrip: () => durable`select 1`,
  };
}

/** The median time of each work in milliseconds. All take turns, so that a slow phase of the machine slows all of them. */
async function measure(works: Works): Promise<Record<keyof Works, number>> {
  const taken = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works) as [string, Work][]) {
      const start = performance.now();
      for (let call = 0; call < callsPerRound; call++) await work();
      const time = (performance.now() - start) / callsPerRound;
      if (round >= ignoredRounds) taken.set(name, [...(taken.get(name) ?? []), time]);
    }
  }
  const medians = Array.from(taken, ([name, times]) => [name, median(times)] as const);
  return Object.fromEntries(medians) as Record<keyof Works, number>;
}
