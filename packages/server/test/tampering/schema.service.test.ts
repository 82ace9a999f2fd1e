// What a superuser adds to the schema while servers run: the comparison of each half hour tells of it, and stops nothing.
import { closing } from '@eaas/test-kit/closing';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { expect, test } from 'vitest';
import { serverJobs } from '../../src/app/server-jobs.ts';
import type { ServerState } from '../../src/http/metrics.ts';
import { openPool } from '../../src/postgres/sql.ts';

const world = await testWorld();
const service = world.replica();
const ann = await settle(service, 'ann');
const superuser = await closing(openPool(world.database.connection('superuser'), 1), (it) => it.end());
const lines: object[] = [];
service.alarms.log = (fields) => lines.push(fields);

/** Runs the job of a server that compares the schema. The clock of these tests is a function of their own. */
async function compare(schemaAllow: readonly string[] = []): Promise<ServerState['schema']> {
  const state: ServerState = { jobs: [], verified: undefined };
  const options = { auditRetentionMonths: 60, plugins: [], schemaAllow };
  const job = serverJobs(service, options as never, state, undefined as never).find(
    ({ name }) => name === 'schema',
  );
  await job?.run(new AbortController().signal);
  return state.schema;
}

test('two triggers that undo appends are found while servers run, with the statements that take them away', async () => {
  const api = apiOf(service, ann.token);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  // The clock of the world is a function that is not ours.
  const before = (await compare())?.faults ?? 0;
  const foundBefore = service.alarms.tamperingFound;
  lines.length = 0;
  await superuser.unsafe(`
    create function public.keep() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger keep before update on eaas.audit_heads for each row execute function public.keep();
    create trigger undo after insert on eaas.tallies for each row execute function public.keep()`);

  expect(await compare()).toEqual({ faults: before + 2, allowed: 0 });
  expect(service.alarms.tamperingFound).toBe(foundBefore + 1);
  await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
  expect(await compare(['keep', 'undo'])).toEqual({ faults: before, allowed: 2 });

  await superuser.unsafe('drop trigger "keep" on eaas.audit_heads; drop trigger "undo" on eaas.tallies');
  expect(await compare()).toEqual({ faults: before, allowed: 0 });
});
