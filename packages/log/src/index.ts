// The public log of all heads, as a plugin of the server: one job makes moments and asks the witnesses, another drops what is old,
// and everyone can read the log.
import { readFile } from 'node:fs/promises';
import { type LogPolicy, parsePolicy } from '@eaas/protocol/internal-log';
import { CannotStart, type Lease, leasedJobs, type Plugin, reasonOf } from '@eaas/server/internal';
import { policyLine, verifierOf } from './keys.ts';
import { readState, registerMetrics } from './metrics.ts';
import { type LogState, makeMoment } from './moment.ts';
import { logReader, prune } from './proofs.ts';
import { currentLog } from './rows.ts';
import { witnessContext } from './witness-context.ts';
import { askWitnesses, faultOfWitnessUrl } from './witnesses.ts';

export { logReader } from './proofs.ts';
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
export async function publicLog({ policyFile, interval, monitors }: LogOptions): Promise<Plugin> {
  const policy = await readPolicy(policyFile);
  requireWitnessUrls(policy, monitors);
  const state: LogState = { sizes: new Map(), failures: new Map(), reasons: new Map() };
  return {
    ...logReader(interval),
    async warnings(database) {
      const log = await database.run((sql) => currentLog(sql));
      if (!log) {
        throw new CannotStart(
          'The public log is not initialised: run `eaas log init --origin eaas.example/log`, or remove EAAS_LOG_POLICY_FILE.',
        );
      }
      if (!lists(policy, log)) {
        throw new CannotStart(
          `EAAS_LOG_POLICY_FILE: the policy in ${policyFile} does not list the key of this log. Add the line \`${policyLine(log)}\`.`,
        );
      }
      return log.halted === null
        ? []
        : [`The public log ${log.origin} was halted: ${log.halted.split('\n', 1)[0]}.`];
    },
    metrics: (registry) => registerMetrics(state, registry),
    jobs(service, log) {
      const leased = leasedJobs(service);
      const context = { service, log, memory: state, interval };
      const ask = async (lease: Lease, which?: 'all'): Promise<void> => {
        const witnesses = await witnessContext(context, { policy, monitors }, lease);
        if (witnesses) await askWitnesses(witnesses, which);
      };
      return [
        // Makes a moment if a head moved, and asks the witnesses to sign it.
        leased('log_moment', interval, async (lease) => {
          // If the database was put back, the witnesses know it, and this process may not.
          await makeMoment(context, lease, () => ask(lease, 'all'));
          await ask(lease);
        }),
        // Drops proofs that are no longer kept.
        leased('log_prune', 3_600, (lease) => prune(service, lease)),
        // Reads how far the log is.
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

function requireWitnessUrls({ witnesses }: LogPolicy, monitors: LogOptions['monitors']): void {
  for (const { name, url } of witnesses) {
    const fault = url === undefined ? undefined : faultOfWitnessUrl(url);
    if (fault !== undefined) {
      throw new CannotStart(`EAAS_LOG_POLICY_FILE: the URL of the witness ${name} ${fault}.`);
    }
  }
  for (const [name, url] of monitors) {
    const isKnown = witnesses.some((witness) => witness.name === name);
    const fault = isKnown ? faultOfWitnessUrl(url) : 'is for no witness of the policy';
    if (fault !== undefined) throw new CannotStart(`EAAS_LOG_MONITORS: the URL of ${name} ${fault}.`);
  }
}

const lists = ({ logs }: LogPolicy, log: Parameters<typeof verifierOf>[0]): boolean =>
  logs.some(({ key }) => key.keyId === verifierOf(log).keyId && key.name === log.origin);
