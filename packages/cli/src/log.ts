// `eaas log`: the operator's side of the public log. The package with the log is loaded only when a command needs it.
import type { Service } from '@eaas/server/internal';
import { note, next, printResult } from './output.ts';
import { reporting, withService } from './command.ts';
import { exitCodes } from './failure.ts';

type Begin = (service: Service, origin: string) => Promise<object>;

/** Makes a command that begins a log. */
const beginning = (name: string, description: string, example: string, begin: Begin) =>
  reporting(name, description, [example])
    .requiredOption(
      '--origin <origin>',
      'the address at which everyone reads the log, without https://, as in eaas.example/log',
    )
    .action(async ({ origin, ...options }) => {
      printResult(await withService(({ service }) => begin(service, origin)), options);
      note('Give the policy line to your witnesses, and to everybody who verifies proofs.');
      next('put it into the file of EAAS_LOG_POLICY_FILE, and restart every server', options);
    });

const init = beginning(
  'init',
  'Begin the public log of the heads of all audit logs. Makes its key, which the root key protects, and prints the line with ' +
    'which a trust policy lists the log. The servers keep the log when EAAS_LOG_POLICY_FILE is set.',
  'log init --origin eaas.example/log',
  async (service, origin) => (await import('@eaas/log')).initLog(service, origin),
);

const restart = beginning(
  'restart',
  'End the public log, and begin another with a new origin and a new key. Needed after the database lost entries of a log that ' +
    'witnesses have signed. The first entry of the new log has the last checkpoint of the old one.',
  'log restart --origin eaas.example/log2',
  async (service, origin) => (await import('@eaas/log')).restartLog(service, origin),
);

const status = reporting(
  'status',
  'Show how far the public log is, and how far enough witnesses signed it. The exit code is 1 if the log was halted.',
  ['log status', 'log status --json'],
).action(async (options) => {
  const { logStatus } = await import('@eaas/log');
  const found = await withService(({ service }) => logStatus(service));
  printResult(found, options);
  if (found.halted === null) return;
  note('The log was halted, and no moment follows: the runbook says whom to ask before `eaas log restart`.');
  process.exitCode = exitCodes.refused;
});

export const logCommands = [init, restart, status];
