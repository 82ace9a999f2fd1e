// The key of the log. `eaas log init` makes it, the root key seals it, and nothing derives it: what leaks a root key of an old
// backup does not give the key of a log that began later.
import { createHmac, createSecretKey, randomBytes, sign } from 'node:crypto';
import { pae } from '@eaas/protocol';
import { using } from '@eaas/protocol/internal';
import {
  ed25519,
  formatNoteKey,
  formatSignature,
  type NoteKey,
  noteKey,
  parseNote,
  restartEntry,
  rootFromTiles,
  type TenantHead,
  treeHeadText,
} from '@eaas/protocol/internal-log';
import {
  claim,
  Explained,
  openSecret,
  Refusal,
  type Roots,
  sameBytes,
  sealSecret,
  type Service,
  type Transaction,
} from '@eaas/server/internal';
import { ed25519Keys } from './ed25519.ts';
import {
  currentLog,
  endLog,
  findLog,
  insertLog,
  insertMoment,
  type LogRow,
  logsSealedUnder,
  type MomentRow,
  newestMoment,
  updateSealed,
  witnessedMoment,
} from './rows.ts';
import { appendEntry, tilesOf } from './tiles.ts';

const place = { purpose: 'log-key', tenantId: null, keyId: null, version: 0 } as const;

/** What verifies the checkpoints of a log. */
export function verifierOf({ origin, public_key }: Pick<LogRow, 'origin' | 'public_key'>): NoteKey {
  return noteKey(origin, ed25519, public_key);
}

/**
 * Appends an entry to the log, signs its checkpoint, and records both. The caller has locked the log, and has verified what it
 * signed before.
 */
export async function appendAndSign(
  tx: Transaction,
  roots: Roots,
  log: LogRow,
  { index, time, root, entry }: Pick<MomentRow, 'index' | 'time' | 'root'> & { readonly entry: Uint8Array },
): Promise<MomentRow> {
  const { origin } = log;
  await appendEntry(tx, origin, index, entry);
  const text = treeHeadText({
    origin,
    size: index + 1,
    root: await rootFromTiles(tilesOf(tx, origin), index + 1),
  });
  const { name, keyId } = verifierOf(log);
  const bytes = new Uint8Array(
    withKey(roots, log, (seed) => sign(null, Buffer.from(text), ed25519Keys(seed).privateKey)),
  );
  const note = `${text}\n${formatSignature({ name, keyId, bytes })}`;
  const moment = { origin, index, time, root, note, witnessed: false };
  await insertMoment(tx, moment);
  return moment;
}

/** Returns the MACs of the heads that the log proves. Nobody can make them without the key of the log. */
export function proofMacs(roots: Roots, log: LogRow): (head: TenantHead) => Uint8Array {
  const key = withKey(roots, log, (seed) => createHmac('sha256', seed).update('eaas log proof v1').digest());
  const secret = using(key, createSecretKey);
  return ({ tenantId, id, hash }) =>
    createHmac('sha256', secret)
      .update(pae(tenantId, id, hash))
      .digest();
}

function withKey<T>(roots: Roots, log: LogRow, use: (seed: Uint8Array) => T): T {
  const root = roots.find(({ rootId }) => sameBytes(rootId, log.root_id));
  const seed = root && openSecret(root.key, place, log.sealed);
  if (!seed) {
    throw new Explained(`the key of the log ${log.origin} must open under the root key (it does not)`);
  }
  return using(seed, (secret) => {
    // The seal does not bind the origin.
    if (!sameBytes(ed25519Keys(secret).publicKey, log.public_key)) {
      throw new Explained(
        `the key of the log ${log.origin} must be the one of its public key (it is another)`,
      );
    }
    return use(secret);
  });
}

async function newLog(tx: Transaction, { roots, ledger }: Service, origin: string): Promise<LogRow> {
  if (!/^[!-*,-~]{1,255}$/.test(origin) || origin.includes('://')) {
    throw new Refusal(
      'bad_request',
      'The origin must be the address of the log without https://, as in eaas.example/log: at most 255 ' +
        'ASCII characters, without spaces and +.',
    );
  }
  if (await findLog(tx, origin)) {
    throw new Refusal(
      'conflict',
      `The log ${origin} exists already, and a log cannot begin again: choose another origin.`,
    );
  }
  const [{ rootId: root_id, key }] = roots;
  const row = using(randomBytes(32), (seed) => ({
    origin,
    public_key: ed25519Keys(seed).publicKey,
    root_id,
    sealed: sealSecret(key, place, seed),
    created_at: ledger.clock.now(),
    ended_at: null,
    halted: null,
  }));
  await insertLog(tx, row);
  return row;
}

/** Begins the public log of the service. */
export function initLog(service: Service, origin: string) {
  return service.database.transaction(async (tx) => {
    await claim(tx, service.roots);
    const present = await currentLog(tx, true);
    if (present) {
      throw new Refusal(
        'conflict',
        `The service already has the log ${present.origin}: to end it and begin another, run \`eaas log restart --origin …\`.`,
      );
    }
    return shown(await newLog(tx, service, origin));
  });
}

/** Ends the log, and begins one whose first entry has the last checkpoint of the log before. */
export function restartLog(service: Service, origin: string) {
  const { roots } = service;
  return service.database.transaction(async (tx) => {
    await claim(tx, roots);
    const before = await currentLog(tx, true);
    if (!before) throw notInitialised();
    const last = await newestMoment(tx, before.origin);
    await endLog(tx, before);
    const log = await newLog(tx, service, origin);
    if (last) {
      const checkpoint =
        last.note.length > longestNote ? last.note.split('\n').slice(0, 5).join('\n') + '\n' : last.note;
      const first = { index: 0, time: service.ledger.clock.now(), root: new Uint8Array() };
      await appendAndSign(tx, roots, log, { ...first, entry: restartEntry(checkpoint) });
    }
    return { ended: before.origin, ...shown(log) };
  });
}

/** The base64 of a longer note could be too long for an entry. Without cosignatures, it is short. */
const longestNote = 45_000;

const notInitialised = (): Refusal =>
  new Refusal(
    'not_found',
    'The service has no public log: begin one with `eaas log init --origin eaas.example/log`.',
  );

/** The line with which a policy lists the log. */
export const policyLine = (log: LogRow): string => `log ${formatNoteKey(verifierOf(log))}`;

function shown(log: LogRow) {
  const { origin } = log;
  return { origin, verifier_key: formatNoteKey(verifierOf(log)), policy_line: policyLine(log) };
}

/** How far the log is, and what its readers must know. */
export async function logStatus({ database }: Service) {
  return database.run(async (sql) => {
    const log = await currentLog(sql);
    if (!log) throw notInitialised();
    const newest = await newestMoment(sql, log.origin);
    const witnessed = await witnessedMoment(sql, log.origin);
    const signatures = parseNote(newest?.note ?? '')?.signatures ?? [];
    return {
      ...shown(log),
      size: newest ? newest.index + 1 : 0,
      newest_at: newest ? new Date(newest.time).toISOString() : null,
      witnessed_size: witnessed ? witnessed.index + 1 : 0,
      witnessed_at: witnessed ? new Date(witnessed.time).toISOString() : null,
      /** Who signed the newest checkpoint beside the log. */
      signed_by: signatures.slice(1).map(({ name }) => name),
      halted: log.halted,
    };
  });
}

/** Seals the keys of the logs under the current root key, those of ended logs too. */
export async function resealLogKeys({ database, roots }: Service): Promise<void> {
  const [current, previous] = roots;
  if (!previous) return;
  await database.transaction(async (tx) => {
    for (const log of await logsSealedUnder(tx, previous.rootId)) {
      const sealed = withKey(roots, log, (seed) => sealSecret(current.key, place, seed));
      await updateSealed(tx, { ...log, root_id: current.rootId, sealed });
    }
  });
}
