// The log as its readers see it: the proofs of tenants, how one is put together, and when it is dropped.
import { formatExtra, formatTlogProof, inclusionProof } from '@eaas/protocol/internal-log';
import { formatTimestamp, type Input } from '@eaas/protocol/wire';
import {
  databaseTime,
  hasCitus,
  type Lease,
  type Plugin,
  preparing,
  Refusal,
  type Service,
  type Sql,
} from '@eaas/server/internal';
import { publicReader } from './public.ts';
import {
  currentLog,
  findContradicted,
  findProof,
  listLogs,
  momentAt,
  newestMoment,
  type ProofRow,
  witnessedMoment,
} from './rows.ts';
import { tilesOf } from './tiles.ts';

/** What the API and everyone see of the log. A moment is due every `interval` seconds. */
export const logReader = (interval = 60): Plugin => ({
  name: 'public log',
  endpoints: {
    'GET /v1/audit/proof': (service: Service, { tenantId }, { id }: Input<'GET /v1/audit/proof'>) =>
      preparing(async ({ head }) => {
        if (id !== undefined && id > head.id) {
          throw notFound(`The audit log has no entry ${id}: its newest entry is ${head.id}.`);
        }
        const due = service.ledger.clock.now() + interval * 1_000;
        return { proof: await service.database.run((sql) => proofOf(sql, tenantId, id, due)) };
      }),
  },
  async findings({ background }: Service, tenantId, after) {
    const id = await background.run((sql) => findContradicted(sql, tenantId, after));
    return id === undefined ? [] : [{ id, reason: 'proof_mismatch' }];
  },
  pages: (service) => ({ '/log/*': publicReader(service) }),
});

const notFound = (detail: string): Refusal => new Refusal('not_found', detail);

/** The text of the first kept proof of a head at or after the entry, or of the newest. Throws Refusal if there is none. */
export async function proofOf(
  sql: Sql,
  tenantId: string,
  id: number | undefined,
  due: number,
): Promise<string> {
  const row = await findProof(sql, tenantId, id);
  if (row) return textOf(sql, row);
  const log = await currentLog(sql);
  const what = id === undefined ? 'of this audit log' : `at or after entry ${id}`;
  throw notFound(
    typeof log?.halted === 'string'
      ? `The public log has no head ${what}, and was halted: ask the operator of the service.`
      : `The public log has no head ${what} yet: its next moment is due by ${formatTimestamp(due)}.`,
  );
}

async function textOf(sql: Sql, { tenant_id: tenantId, id, hash, origin, index, time, path }: ProofRow) {
  // The first checkpoint that enough witnesses signed says the earliest time.
  const moment = (await witnessedMoment(sql, origin, index)) ?? (await momentAt(sql, origin, index));
  if (!moment) throw new Error(`the moment ${index} must be there as long as a proof needs it (it is not)`);
  const siblings = Array.from({ length: path.length / 32 }, (_, at) => path.subarray(32 * at, 32 * at + 32));
  return formatTlogProof({
    extra: formatExtra({ tenantId, id, hash, time, path: siblings }),
    index,
    path: await inclusionProof(tilesOf(sql, origin), index, moment.index + 1),
    checkpoint: moment.note,
  });
}

const day = 86_400_000;
const hour = day / 24;
const keptDaily = 400 * day;
/** What failed runs of the job left is dropped for so long. Later, it stays until 400 days are over. */
const lookBack = 7 * day;
const step = hour / 4;

/** Drops proofs and moments that are no longer kept: after a day, only the last proof of each day in UTC is, for 400 days. */
export async function prune({ background }: Service, { hold, signal }: Lease): Promise<void> {
  const now = await background.run(databaseTime);
  const drop = async (statement: (sql: Sql) => PromiseLike<unknown>): Promise<void> => {
    signal.throwIfAborted();
    await background.transaction(async (tx) => {
      await hold(tx);
      await statement(tx);
    }, 60_000);
  };
  await drop((sql) => sql`delete from eaas.log_proofs where time < ${now - keptDaily}`);
  const end = now - day; // the last day is kept whole
  const nextFrom = (time: number) => background.run((sql) => firstProofSince(sql, time, end));
  for (let from = await nextFrom(end - lookBack); from !== undefined; from = await nextFrom(from + step)) {
    const start = from;
    const stop = Math.min(from + step, end);
    await drop(
      (sql) => sql`delete from eaas.log_proofs old where time >= ${start} and time < ${stop} and exists (
        select from eaas.log_proofs p where p.tenant_id = old.tenant_id and p.id > old.id
          and p.time / ${day}::bigint = old.time / ${day}::bigint)`,
    );
  }
  // A tenant that was destroyed while a moment was made can have proofs of that moment.
  for (let from = now - 3 * hour; from <= now; from += step) {
    await drop(
      (sql) => sql`delete from eaas.log_proofs p where time >= ${from} and time < ${from + step}
        and not exists (select from eaas.audit_heads h where h.tenant_id = p.tenant_id)`,
    );
  }
  for (const { origin } of await background.run(listLogs)) await drop((sql) => dropMoments(sql, origin, end));
}

async function firstProofSince(sql: Sql, time: number, end: number): Promise<number | undefined> {
  const [row] = await sql<{ time: number | null }[]>`
    select min(time) as time from eaas.log_proofs where time >= ${time} and time < ${end}`;
  return row?.time ?? undefined;
}

/**
 * Drops the moments that no proof needs. A proof needs its own moment, and the first from there on that enough witnesses
 * signed. The newest of all and the newest witnessed one stay.
 */
async function dropMoments(sql: Sql, origin: string, end: number): Promise<void> {
  const last = [await newestMoment(sql, origin), await witnessedMoment(sql, origin)];
  const kept = last.flatMap((moment) => moment?.index ?? []);
  let proven = sql`select index from eaas.log_moments m where origin = ${origin} and exists (
    select from eaas.log_proofs p where p.origin = m.origin and p.index = m.index)`;
  if (await hasCitus(sql)) {
    // The workers have the proofs, and the coordinator the moments. Meanwhile, no old moment gets a proof.
    const rows =
      await sql`select distinct index from eaas.log_proofs where origin = ${origin} and time < ${end}`;
    proven = sql`select unnest(${rows.map((row): number => row['index'])}::bigint[]) as index`;
  }
  await sql`
    with proven as (${proven}), needed as (
      select index from proven
      union select (select min(index) from eaas.log_moments
        where origin = ${origin} and witnessed and index >= proven.index) from proven)
    delete from eaas.log_moments m where origin = ${origin} and time < ${end} and index <> all(${kept}::bigint[])
      and not exists (select from needed where needed.index = m.index)`;
}
