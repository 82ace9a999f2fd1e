// The public log of all heads, as an extra of the server: one job makes moments and asks the witnesses, another drops what is old,
// and everyone can read the log.
import { readFile } from 'node:fs/promises';
import { type LogPolicy, parsePolicy } from '@eaas/protocol/internal-log';
import { CannotStart, type Extra, type Lease, reasonOf } from '@eaas/server/internal';
import { policyLine, verifierOf } from './keys.ts';
import { type LogState, readState, registerMetrics } from './metrics.ts';
import { makeMoment } from './moment.ts';
import { prover, prune } from './proofs.ts';
import { publicReader } from './public.ts';
import { currentLog } from './rows.ts';
import { witnessContext } from './witness-context.ts';

export { initLog, logStatus, resealLogKeys, restartLog } from './keys.ts';

/** How the operator sets the log up. */
export interface LogOptions {
  /** The file with the logs and the witnesses that count, in the format of C2SP's tlog-policy. */
  readonly policyFile: string;
  /** The seconds between two moments. */
  readonly interval: number;
  /** Where witnesses show what they signed, by their names in the policy. By default, at the policy's URL. */
  readonly monitors: ReadonlyMap<string, string>;
}

/** Keeps the public log. Throws CannotStart if the policy cannot be used. */
export async function publicLog({ policyFile, interval, monitors }: LogOptions): Promise<Extra> {
  const policy = await readPolicy(policyFile);
  return {
    async warnings(database) {
      const log = await database.run((sql) => currentLog(sql));
      if (!log)
        throw new CannotStart(
          'The public log is not initialised: run `eaas log init --origin eaas.example/log`, or remove EAAS_LOG_POLICY_FILE.',
        );
      if (!lists(policy, log))
        throw new CannotStart(
          `EAAS_LOG_POLICY_FILE: the policy in ${policyFile} does not list the key of this log. Add the line \`${policyLine(log)}\`.`,
        );
      return log.halted === null ? [] : [`The public log ${log.origin} was halted: ${log.halted}.`];
    },
    publicLog: (service) => ({ read: publicReader(service), proof: prover(service, interval) }),
    jobs({ service, log, registry, leased }) {
      const state: LogState = { sizes: new Map(), failures: new Map(), reasons: new Map() };
      registerMetrics(state, registry);
      const context = { service, log, memory: state };
      const ask = async (lease: Lease): Promise<void> => {
        const witnessing = await witnessContext(context, { policy, monitors }, lease);
        void witnessing;
      };
      return [
        leased('log_moment', interval, async (lease) => {
          // The witnesses know if the database was put back. This process does not, before its first moment.
          if (!state.seen) await ask(lease);
          await makeMoment(context, lease);
          await ask(lease);
        }),
        leased('log_prune', 3_600, (lease) => prune(service, lease)),
        { name: 'log_state', everySeconds: 60, run: () => readState(service, state) },
      ];
    },
  };
}

async function readPolicy(file: string): Promise<LogPolicy> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CannotStart(`EAAS_LOG_POLICY_FILE: the file ${file} cannot be read (${reasonOf(error)}).`);
  });
  try {
    return parsePolicy(text);
  } catch (error) {
    throw new CannotStart(`EAAS_LOG_POLICY_FILE: ${file} is no policy: ${reasonOf(error)}.`);
  }
}

const lists = ({ logs }: LogPolicy, log: Parameters<typeof verifierOf>[0]): boolean =>
  logs.some(({ key }) => key.keyId === verifierOf(log).keyId && key.name === log.origin);
