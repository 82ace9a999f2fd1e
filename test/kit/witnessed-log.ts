import { madeUpLog, type MadeUpLog, signersOf } from './made-up-log.ts';
import { type PlayedLog, playLog } from './played-log.ts';

/** The other tenants of the deployment, which have a head in each moment. */
const others = [2, 3, 4].map((nth) => ({
  tenantId: `00000000-0000-4000-8000-00000000000${nth}`,
  id: nth,
  hash: new Uint8Array(32).fill(nth),
}));

export interface WitnessedLog extends PlayedLog {
  readonly policy: string;
  publicLog: MadeUpLog;
  /** Makes a moment with the head of the log, and keeps its proof. Returns the proof. */
  moment(options?: Parameters<MadeUpLog['prove']>[2]): string;
}

/** An audit log whose head gets into a public log. Its moments have the real time, because a check compares it. */
export function witnessedLog(length: number, signers = signersOf()): WitnessedLog {
  const log = playLog(length);
  const publicLog = madeUpLog(signers);
  const made: WitnessedLog = Object.assign(log, {
    policy: publicLog.policy,
    publicLog,
    moment(options?: Parameters<MadeUpLog['prove']>[2]) {
      const { id, hash } = log.entries.at(-1) ?? { id: 0, hash: '' };
      const own = { tenantId: log.tenantId, id, hash: Uint8Array.from(Buffer.from(hash, 'hex')) };
      const index = made.publicLog.moment([own, ...others], Date.now());
      const proof = made.publicLog.prove(log.tenantId, index, options);
      log.proofs.push({ id, proof });
      return proof;
    },
  });
  return made;
}
