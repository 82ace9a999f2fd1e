// What `eaas` once had: variables, and words after `eaas`. Whoever still uses one is told what replaces it.
import { WrongUsage } from './kit/index.ts';
import { CannotStart } from '@eaas/server/internal';

/** Ends the sentence "EAAS_X was removed: …". */
const variables: Readonly<Record<string, string>> = {
  EAAS_ROOT_KEY_WRAPPED_FILE:
    'set EAAS_ROOT_KEY_COMMAND to a script that decrypts the root key, as in examples/root-key.',
  EAAS_ROOT_KEY_PREVIOUS_WRAPPED_FILE:
    'set EAAS_ROOT_KEY_PREVIOUS_COMMAND to a script that decrypts the root key, as in examples/root-key.',
  EAAS_COPY_TO_DATABASE_URL: 'move a database with `pg_dump` and `pg_restore`.',
  EAAS_WORKERS:
    'a server is one process. Start more servers behind a proxy, as the page "Replicas" of the manual says.',
  EAAS_CHECKPOINT_DIR:
    'keep checkpoints outside the service, with `eaas audit checkpoint` or `audit.checkpoint` of the SDK.',
};

/** Ends the sentence "`eaas x --y` was removed: …". Options come after the words of their command. */
const commands: Readonly<Record<string, string>> = {
  'audit tail': 'run `eaas audit follow --tenant acme --once`, and select entries with jq.',
  'audit stream':
    'run `eaas audit follow --state audit.state`, and pipe it to a program that sends syslog messages.',
  'root-key wrap': 'encrypt the root key with the program of the key service, as in examples/root-key.',
  'database copy': 'move a database with `pg_dump` and `pg_restore`.',
  'serve --workers':
    'a server is one process. Start more servers behind a proxy, as the page "Replicas" of the manual says.',
};

/** Throws CannotStart if the environment has a removed variable, even an empty one. */
export function refuseRemovedVariables(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, successor] of Object.entries(variables)) {
    if (env[name] !== undefined) throw new CannotStart(`${name} was removed: ${successor}`);
  }
}

/** Throws WrongUsage if the arguments begin with the words of a removed command, or have a removed option. */
export function refuseRemovedCommands(args: readonly string[]): void {
  for (const [name, successor] of Object.entries(commands)) {
    const words = name.split(' ');
    const isRemoved = words.every((word, index) =>
      word.startsWith('--')
        ? args.some((arg) => arg === word || arg.startsWith(`${word}=`))
        : args[index] === word,
    );
    if (isRemoved) throw new WrongUsage(`\`eaas ${name}\` was removed: ${successor}`);
  }
}
