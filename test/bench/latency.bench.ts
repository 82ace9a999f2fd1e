import { openPool, type Pool } from '../../packages/server/src/postgres/sql.ts';
import { newKey } from '@eaas/test-kit/faults/place';
import { Burst, openLater, postRequest, wrapRequest } from './burst.ts';
import { type Benchmark, type Defer, type Note, speed } from './compare.ts';
import { openOperator, startDeferred } from './open-operator.ts';
import { startBenchServer } from './start-bench-server.ts';
import { median } from '@eaas/test-kit/statistics';

type Work = () => Promise<unknown>;
type Works = Awaited<ReturnType<typeof setUp>>['works'];

const most = 1.2;

export const benchmark: Benchmark = {
  name: 'latency',
  about:
    'one wrap at a time after 20,000 wraps. The reference is the time of an empty POST plus the time of a commit of one row',
  async comparisons(defer) {
    const { works, warmUp } = await setUp(defer);
    await warmUp();
    const parts = await measureParts(works);
    const { wrap, emptyPost, commit } = works;
    const reference = async (): Promise<void> => {
      await emptyPost();
      await commit();
    };
    return [
      {
        ours: { name: 'single wraps', run: wrap },
        reference: { name: 'empty POST + commit', run: reference },
        target: 1 / most,
        note: () => parts,
      },
    ];
  },
};

async function setUp(defer: Defer) {
  const { env, newTenant, postgres } = await openOperator(defer);
  const server = await startDeferred(defer, env);
  const withoutLog = await startBenchServer(defer, env);
  const { token } = await newTenant();
  const keyId = await newKey(server, token);
  const headers = { Authorization: `Bearer ${token}` };
  const request = wrapRequest(keyId, token);
  const requests: (readonly [port: number, text: string])[] = [];
  const posting = (port: number, text: string): Work => {
    requests.push([port, text]);
    const run = openLater(() => Burst.open(port, text, 1), defer);
    return () => run(1);
  };
  const connect = async (setting: 'on' | 'off'): Promise<Pool> => {
    const sql = openPool(postgres.connection('owner'), 1);
    defer(() => sql.end());
    await sql.unsafe(`set synchronous_commit = ${setting}`);
    return sql;
  };
  const [durable, volatile] = [await connect('on'), await connect('off')];
  await durable`create table bench_rows (content text)`;
  const insertBy =
    (sql: Pool): Work =>
    () =>
      sql`insert into bench_rows values (${'x'.repeat(200)})`;
  const works = {
    wrap: posting(server.port, request),
    wrapWithoutLog: posting(withoutLog.port, request),
    emptyPost: posting(withoutLog.port, postRequest('/empty', headers, {})),
    commit: insertBy(durable),
    commitWithoutFlush: insertBy(volatile),
    roundTrip: (): Promise<unknown> => durable`select 1`,
  };
  /** V8 compiles a function to fast code only after many calls. */
  async function warmUp(): Promise<void> {
    for (const [port, text] of requests) {
      const burst = await Burst.open(port, text, 64);
      await burst.run(20_000);
      burst.close();
    }
  }
  return { works, warmUp };
}

async function measureParts(works: Works): Promise<Note> {
  const taken = new Map<keyof Works, number[]>();
  for (let round = 0; round < 9; round++) {
    for (const [name, run] of Object.entries(works) as [keyof Works, Work][]) {
      const microseconds = 1e6 / (await speed({ run }, 100));
      // Ignores the first two rounds, because the caches of the processors still hold data of the warm-up.
      if (round >= 2) taken.set(name, [...(taken.get(name) ?? []), microseconds]);
    }
  }
  const of = (name: keyof Works): number => median(taken.get(name) ?? []);
  const [wrap, wrapWithoutLog, emptyPost] = [of('wrap'), of('wrapWithoutLog'), of('emptyPost')];
  const parts = {
    'a wrap': wrap,
    'HTTP (an empty POST)': emptyPost,
    'admission, rules, crypto, the link': wrapWithoutLog - emptyPost,
    'append in PostgreSQL': wrap - wrapWithoutLog,
    'a round trip to PostgreSQL': of('roundTrip'),
    'a commit of one row': of('commit'),
    'the WAL flush of the commit': of('commit') - of('commitWithoutFlush'),
  };
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, `${value.toFixed(0)} µs`]));
}
