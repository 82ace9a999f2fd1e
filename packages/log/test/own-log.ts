// A log in a database of its own, with one witness that signs what it is given.
import { alone } from '@eaas/test-kit/alone';
import { openAttacker } from '@eaas/test-kit/attacker';
import { apiOf, dek, type Resident, settle, testWorld } from '@eaas/test-kit/world';
import { startWitness } from '@eaas/test-kit/witness';
import { parsePolicy, verifyProof } from '@eaas/protocol/internal-log';
import { rootKey, type Service, verifyEd25519 } from '@eaas/server/internal';
import { initLog } from '../src/keys.ts';
import { type LogState, makeMoment } from '../src/moment.ts';
import { logReader } from '../src/proofs.ts';
import { publicReader } from '../src/public.ts';
import { newestMoment } from '../src/rows.ts';
import { witnessContext } from '../src/witness-context.ts';

export const origin = 'eaas.example/log';
const minute = 60_000;

export async function ownLog(root?: Uint8Array, start?: string) {
  const world = await testWorld(start, undefined, root);
  const { sql } = await openAttacker(world);
  const service = world.replica();
  const { policy_line } = await initLog(service, origin);
  const witness = await startWitness('witness.example');
  const policyText = `${policy_line}\nwitness one ${witness.vkey}\nquorum one\n`;
  const policy = parsePolicy(policyText);
  const witnesses = { policy, monitors: new Map<string, string>() };
  const lines: unknown[] = [];
  const line = (...all: unknown[]): void => void lines.push(all);
  /** A process that makes a moment whenever it is asked, or every so many seconds. */
  const processOf = (of: Service, interval = 0) => {
    const memory: LogState = { sizes: new Map(), failures: new Map(), reasons: new Map() };
    return { service: of, log: { info: line, warn: line, error: line }, memory, interval };
  };
  const first = processOf(service);
  const withLog = world.replica(undefined, undefined, undefined, [logReader()]);
  const read = publicReader(withLog);
  const log = {
    world,
    policyText,
    service,
    withLog,
    lines,
    processOf,
    sql,
    context: first,
    moment: (context = first) => makeMoment(context, alone()),
    /** A minute passes, and the log makes a moment. */
    async later(milliseconds = minute) {
      world.time += milliseconds;
      await log.moment();
    },
    newest: (of = origin) => service.database.run((on) => newestMoment(on, of)),
    /** The root of the newest moment, in hex. */
    root: async () => Buffer.from((await log.newest())?.root ?? []).toString('hex'),
    witnesses: () => witnessContext(first, witnesses, alone()),
    /** The witness signs the newest checkpoint. */
    async witnessed() {
      const found = await log.witnesses();
      const newest = await found?.newest();
      const line = newest && witness.cosign(newest.note, Math.floor(world.time / 1_000));
      if (line) await found?.cosigned(newest.size, [line]);
    },
    async prove({ token }: Resident, id?: number) {
      const input = id === undefined ? {} : { id };
      return (await apiOf(withLog, token)('GET /v1/audit/proof', input)).proof;
    },
    verify: (proof: string) => verifyProof(proof, policy, verifyEd25519),
    async read(path: string) {
      return (await read(path))?.bytes;
    },
    async head({ tenantId }: Resident) {
      const [row] = await sql<{ id: string; hash: Buffer }[]>`
        select id, hash from eaas.audit_heads where tenant_id = ${tenantId}`;
      return { id: Number(row?.id), hash: row?.hash.toString('hex') };
    },
    /** The service in the middle of a rotation of its root key. */
    rotating(bytes: Uint8Array) {
      const [previous] = world.roots;
      const current = rootKey(bytes);
      return { previous, current, during: world.replica(undefined, undefined, [current, previous]) };
    },
  };
  return log;
}

/** A log whose first moment has the heads of two tenants. */
export async function begunLog() {
  const log = await ownLog();
  const [ann, bob] = [await settle(log.service, 'ann'), await settle(log.service, 'bob')];
  await log.moment();
  return { log, ann, bob };
}

/** Makes an audit entry of the tenant. */
export async function act(service: Service, { token }: Resident): Promise<void> {
  const api = apiOf(service, token);
  const { keys } = await api('GET /v1/keys', {});
  const key_id = keys[0]?.key_id ?? (await api('POST /v1/keys', { name: 'key' })).key_id;
  await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
}
