// The command `npx --no-install @eaas/local`: makes the keys of a local service as a variable, and the next variable from one. It changes
// nothing anywhere: what it prints is the result, and what it says goes to standard error.
import { fstatSync, readFileSync, statSync } from 'node:fs';
import { isatty } from 'node:tty';
import { parseArgs } from 'node:util';
import { InputError } from '@eaas/protocol';
import { attempt, escapeHidden } from '@eaas/protocol/internal';
import { kmsOfEnvironment, sealedOfEnvironment, secretsOfEnvironment } from './file-opener.ts';
import { type FileKey, type KeyFile, relockedKeyFile } from './key-file-format.ts';
import { lockFile } from './lock.ts';
import { type Opener, unlocked } from './opener.ts';
import { keysOfSecrets } from './secret.ts';
import { forgotten, formatSealed, newSealed, openSealed, readSealed, replaced, rotated } from './sealed.ts';

const variable = 'EAAS_LOCAL';

export const help = `Usage: npx --no-install @eaas/local <command>

Keys for an app without a server, in one variable, which is the option \`sealed\` of createLocalService.

Commands:
  new     print the variable with a new key
  expand <variable> …
          print the keys that the option \`secret\` makes: name the variables with the secrets, perhaps in .env, the oldest first
  rotate  read the variable, and print the next one: its keys have one more version
  replace if the variable leaked: print one with a new key, which encrypts, and the old one, which decrypts
  forget  print the variable without its replaced keys, when nothing is encrypted under them any more
  lock    print the variable locked by a key service, or by another one: that of EAAS_LOCAL_NEW_KMS_COMMAND
  lock <file>  lock a key file, or give it another passphrase or program
  unlock  print the variable without this lock
  show    say what is in the variable, without secrets, and without the key service

Options:
  --in <time>  rotate: when the new version begins to encrypt, such as 30m, 1h (the default), 2d or 0.
               Deploy the next variable everywhere before: the new version decrypts at once.
  --json       lock <file>: print the result as one line of JSON
  -h, --help   show this help

All but \`new\`, \`expand\` and \`lock <file>\` read ${variable} from the environment, or else standard input. With
${variable}_KMS_COMMAND, the path of a program that is called with \`seal\` or \`open\`, and reads and prints a line of base64,
a key service locks it.

\`lock <file>\` opens the file by ${variable}_PASSPHRASE or ${variable}_KEY_COMMAND, and the new lock is that of
${variable}_NEW_PASSPHRASE or ${variable}_NEW_KEY_COMMAND. Without them it asks for passphrases. The keys of the file stay the
same, and every copy of the old one still opens with the old lock. Stop the app first: it must start again with the new lock.

Examples:
  (umask 077 && npx --no-install @eaas/local new >> .env)
  node --env-file=.env node_modules/.bin/eaas-local rotate > next.env
  npx --no-install @eaas/local show < next.env
  npx --no-install @eaas/local lock .eaas/local.json
`;

/** Runs a command, and returns its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { in: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    const [command = '', ...rest] = positionals;
    if (values.help) return print(help);
    const [file] = rest;
    if (command === 'lock' && file !== undefined && rest.length === 1 && values.in === undefined) {
      return print(await lockFile(file, values.json ?? false));
    }
    if (values.json) throw new InputError('`--json` belongs to `lock` with a key file');
    const work = commands.get(command);
    if (!work || rest.length > 0 !== (command === 'expand')) {
      const got = positionals.length === 0 ? 'none' : `\`${positionals.join(' ').slice(0, 64)}\``;
      throw new InputError(`pass one command: \`${[...commands.keys()].join('`, `')}\` (got ${got})`);
    }
    if (values.in !== undefined && command !== 'rotate') throw new InputError('`--in` belongs to `rotate`');
    refuseSecondVariable();
    return work(values.in ?? '1h', rest);
  } catch (error) {
    if (
      !(error instanceof InputError) &&
      !String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
    ) {
      throw error;
    }
    note(
      `${(error as Error).message}\n\`npx --no-install @eaas/local --help\` shows how to use the command.`,
    );
    return 2;
  }
}

const commands = new Map<string, (delay: string, names: readonly string[]) => number>([
  [
    'new',
    () => {
      const made = newSealed(Date.now(), kmsOfEnvironment());
      const isOpen = made.lock.kind === 'none';
      note(
        `Whoever has this variable${isOpen ? '' : ' and its key service'} can decrypt everything, and without it nobody can: keep a ` +
          `copy. A second variable opens nothing old. Pass this as \`sealed\` of \`createLocalService\`${isOpen ? '' : ', with `open`'}.`,
      );
      return printVariable(made);
    },
  ],
  ['expand', (_, names) => printVariable(keysOfSecrets(secretsOfEnvironment(names)))],
  [
    'rotate',
    (delay) => {
      const now = Date.now();
      const from = now + millisecondsIn(delay);
      const next = rotated(opened(), now, from);
      const versions = next.keys
        .map(({ name, key_version }) => `version ${key_version} of \`${name}\``)
        .join(', ');
      note(
        `New: ${versions}. It decrypts at once, and encrypts from ${new Date(from).toISOString()} on: deploy this variable ` +
          `everywhere before. Then move old values with \`migrate(db, table, 'rewrap')\`.`,
      );
      return printVariable(next);
    },
  ],
  [
    'replace',
    () => {
      const next = replaced(opened(), Date.now());
      const keyIds = next.keys.map(({ key_id }) => `'${key_id}'`).join(', ');
      note(
        `New: a key that encrypts at once. Deploy it with \`keyIds: { table: [${keyIds}] }\` for each table, and re-encrypt each.`,
      );
      return printVariable(next);
    },
  ],
  ['forget', () => printVariable(forgotten(opened()))],
  ['lock', () => relock(kmsOfEnvironment('EAAS_LOCAL_NEW'), 'with `open` beside `sealed`')],
  ['unlock', () => relock(unlocked, 'without `open`')],
  [
    'show',
    () => {
      const text = given();
      const { tenant_id: tenantId, keys, lock } = readSealed(text);
      const lines = keys.map(({ key_id, name, versions }) =>
        [`key ${key_id} \`${name}\``, ...versions.map(versionLine)].join('\n'),
      );
      if (lock.kind === 'none') openSealed(text);
      else lines.push('locked by a key service, which `show` does not ask, so nothing is verified');
      return print(escapeHidden(`tenant ${tenantId}\n${lines.join('\n')}\n${text.length} characters\n`));
    },
  ],
]);

const opened = (): KeyFile => openSealed(given(), kmsOfEnvironment());

/** Prints the keys under another lock. */
function relock(opener: Opener, how: string): number {
  const next = relockedKeyFile(opened(), opener);
  note(`The old variable still opens everything. Deploy this one ${how}, then delete every old copy.`);
  return printVariable(next);
}

/** An app reads the last line of a file, so a second variable hides the first. Throws InputError. */
function refuseSecondVariable(): void {
  const out = attempt(() => fstatSync(1));
  const isOutput = (name: string) => out?.isFile() && attempt(() => statSync(name).ino) === out.ino;
  const path = ['.env', '.dev.vars'].find(isOutput) ?? '';
  if (/^\s*(export\s+)?EAAS_LOCAL *= *\S/m.test(attempt(() => readFileSync(path, 'utf8')) ?? '')) {
    throw new InputError(
      `${path} has ${variable} already: a second one opens nothing old. Print into another file; to keep the keys, \`rotate\` or \`lock\``,
    );
  }
}

function printVariable(file: KeyFile): number {
  const text = formatSealed(file);
  if (text.length > 3_500) {
    note(`It has ${text.length} characters, of 4 kB for all in Lambda: run \`replace\` and \`forget\`.`);
  }
  const out = attempt(() => fstatSync(1));
  const isFile = out?.isFile() === true;
  if (isFile && process.platform !== 'win32' && (out.mode & 0o044) !== 0) {
    note('Other users of this machine can read the file that this goes to: run `chmod 600` on it.');
  }
  // The last line of the file may have no end.
  return print(`${isFile && out.size > 0 ? '\n' : ''}${variable}=${text}\n`);
}

function versionLine({ created_at, from }: FileKey['versions'][number], index: number): string {
  const made = new Date(created_at).toISOString();
  const start =
    from === undefined || from <= created_at ? '' : `, encrypts from ${new Date(from).toISOString()} on`;
  return `  version ${index + 1}, made ${made}${start}`;
}

function given(): string {
  const set = sealedOfEnvironment();
  if (set !== undefined) return set;
  if (isatty(0)) throw new InputError(`set ${variable}, or pass the variable on standard input`);
  const text = readFileSync(0, 'utf8');
  // A whole .env file may hold other variables, and the app reads the last of two lines.
  return (Array.from(text.matchAll(/^EAAS_LOCAL=(.*)$/gm)).at(-1)?.[1] ?? text).trim();
}

const units: Readonly<Record<string, number>> = { '': 1, m: 60_000, h: 3_600_000, d: 86_400_000 };

function millisecondsIn(delay: string): number {
  const [, number, unit = ''] = /^(?:(\d{1,4})([mhd])|0)$/.exec(delay) ?? refuseDelay();
  return Number(number ?? 0) * (units[unit] ?? 0);
}

function refuseDelay(): never {
  throw new InputError('`--in` must be a time such as 30m, 1h, 2d or 0');
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

const note = (text: string): void => void process.stderr.write(`${text}\n`);
