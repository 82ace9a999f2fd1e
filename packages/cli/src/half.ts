// `eaas half new`, with which an app gets a half of its own. It asks no service, so that no service ever sees the half.
import { createHmac, randomBytes } from 'node:crypto';
import { formatHalf, halfIdMessage } from '@eaas/protocol/internal-half';
import { reporting } from './command.ts';
import { next, note, printResult } from './output.ts';

/** Returns the text and the id of a half. The id is safe to show: it tells halves apart, and opens nothing. */
export const describeHalf = (half: Uint8Array) => ({
  half: formatHalf(half),
  half_id: createHmac('sha256', half).update(halfIdMessage()).digest('hex').slice(0, 8),
});

const make = reporting(
  'new',
  'Make a half: 32 random bytes, which a client mixes into its data keys. Whoever has only the service, or only the ' +
    'half, can read nothing. Prints the two variables that clients read. Asks no service, and stores nothing.',
  ['half new', 'half new >> .env', 'half new --json'],
).action((options) => {
  const bytes = randomBytes(32);
  const { half, half_id } = describeHalf(bytes);
  bytes.fill(0);
  if (options.json) printResult({ half, half_id }, options);
  else process.stdout.write(`EAAS_HALF=${half}\nEAAS_HALF_ID=${half_id}\n`);
  note('Lost is lost: nobody can decrypt without it. Keep a copy apart from the service and its backups.');
  next('set both where the app runs, and nowhere else; if it has data, in two deployments', options);
});

export const halfCommands = [make];
