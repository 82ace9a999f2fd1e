// The seam between the log and the client of its witnesses.
import {
  type LogPolicy,
  type NoteKey,
  type NoteSignature,
  parseNote,
  quorumTime,
  type ReadTile,
  verifyCheckpoint,
} from '@eaas/protocol/internal-log';
import { type Lease, type Sql, type Transaction, verifyEd25519 } from '@eaas/server/internal';
import { verifierOf } from './keys.ts';
import { halt, headOf, type MomentContext } from './moment.ts';
import { currentLog, momentAt, type MomentRow, newestMoment, updateNote } from './rows.ts';
import { tilesOf } from './tiles.ts';

/** A checkpoint that this log has signed. */
export interface Signed {
  readonly size: number;
  /** The text, our signature, and the cosignatures that are there. */
  readonly note: string;
}

export interface WitnessContext extends Pick<MomentContext, 'log' | 'memory'> {
  readonly policy: LogPolicy;
  /** The monitoring prefixes of witnesses, by their names in the policy. By default, a witness has the one of its URL. */
  readonly monitors: ReadonlyMap<string, string>;
  /** What verifies the checkpoints of this log, whose origin is its name. */
  readonly key: NoteKey;
  /** Ends when another replica runs the job, or the server stops. */
  readonly signal: AbortSignal;
  /** Reads the newest checkpoint. With `locked`, no moment is being committed. */
  newest(options?: { readonly locked?: boolean }): Promise<Signed | undefined>;
  /** Reads the tiles of this log. */
  readonly tiles: ReadTile;
  /** Adds lines with verified cosignatures to the checkpoint of this size, except those that it has. */
  cosigned(size: number, lines: readonly string[]): Promise<void>;
  /** Stops the log: no moment follows. */
  halt(reason: string): Promise<void>;
}

/** What the witnesses are asked with, or undefined if there is no log or it was halted. */
export async function witnessContext(
  context: MomentContext,
  asked: Pick<WitnessContext, 'policy' | 'monitors'>,
  { hold, signal }: Lease,
): Promise<WitnessContext | undefined> {
  const { service, log, memory } = context;
  const { background } = service;
  const current = await background.run((sql) => currentLog(sql));
  if (!current || current.halted !== null) return undefined;
  const { origin } = current;
  const held = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    background.transaction(async (tx) => {
      await hold(tx);
      await currentLog(tx, true);
      return work(tx);
    });
  const read = async (sql: Sql) => signed(await newestMoment(sql, origin));
  return {
    ...asked,
    key: verifierOf(current),
    signal,
    log,
    memory,
    newest: ({ locked = false } = {}) => (locked ? held(read) : background.run(read)),
    tiles: (...tile) => background.run((sql) => tilesOf(sql, origin)(...tile)),
    cosigned: (size, lines) => held((tx) => addLines(tx, asked.policy, { origin, index: size - 1 }, lines)),
    halt: (reason) => halt(context, origin, reason),
  };
}

const signed = (row: MomentRow | undefined): Signed | undefined =>
  row && headOf(row) && { size: row.index + 1, note: row.note };

const keyOf = ({ name, keyId }: NoteSignature): string => `${name}+${keyId}`;

async function addLines(
  tx: Transaction,
  policy: LogPolicy,
  { origin, index }: Pick<MomentRow, 'origin' | 'index'>,
  lines: readonly string[],
): Promise<void> {
  const row = await momentAt(tx, origin, index);
  if (!row) return;
  // A witness signs again with another time when it is asked again, and a note with two signatures of a key is refused.
  let { note } = row;
  for (const line of lines) {
    const [before, after] = [parseNote(note), parseNote(note + line)].map(
      (each) => new Set(each?.signatures.map(keyOf)),
    );
    if (before && after && after.size > before.size) note += line;
  }
  if (note === row.note) return;
  const keys = policy.witnesses.map(({ key }) => key);
  const { signatures } = await verifyCheckpoint(note, keys, verifyEd25519);
  const witnessed = row.witnessed || quorumTime(policy, signatures) !== undefined;
  await updateNote(tx, { ...row, note, witnessed });
}
