import { escapeHidden } from '@eaas/protocol/internal';
import { endpoints, limits, type Output } from '@eaas/protocol/wire';
import { asWord, checked, operations } from '@eaas/server/internal';
import { type Command, Option } from 'commander';
import {
  listCommand,
  type OnKey,
  type OnTenant,
  onTenant,
  requireKey,
  withKey,
  withTenant,
} from './command.ts';
import { requireConfirmable, requireConfirmed } from './confirm.ts';
import { next, note, printResult, printResults } from './output.ts';
import { daysTo, fieldsOf, wholeNumber } from './values.ts';

type Key = Output<'POST /v1/keys'>;

const create = onTenant('create', 'Create a key.', [
  'key create --tenant acme --name patients',
  'key create --tenant acme --name patients --rotate-every 90 --json',
  'key create --tenant acme --name contact-form --intake',
])
  .requiredOption('--name <name>', "the key's name, unique among the keys of the tenant")
  .option(
    '--rotate-every <days>',
    'rotate the key automatically each time this number of days has passed',
    wholeNumber,
  )
  .option('--exportable', 'allow the export of the key (cannot be changed later)')
  .option(
    '--intake',
    'allow writers without credentials to encrypt with the public key (cannot be changed later)',
  )
  .action(async ({ rotateEvery, ...options }: OnTenant & { rotateEvery?: number }) => {
    const rotation_policy = rotateEvery === undefined ? null : { interval_days: rotateEvery };
    const input = checked(endpoints['POST /v1/keys'].body, { ...fieldsOf(options), rotation_policy });
    const key = await withTenant(options, (service, operator) =>
      operations['POST /v1/keys'](service, operator, input),
    );
    printResult(key, options);
    const setKeyId = `set EAAS_KEY_ID=${key.key_id} for the application`;
    next(key.intake ? showPublicKey(commandsOn(key, options)) : setKeyId, options);
  });

const statuses = ['active', 'disabled', 'pending_destruction', 'destroyed'] as const;

const list = listCommand(
  'key',
  "List a tenant's keys, newest first.",
  ['key_id', 'name', 'status', 'intake', 'key_version', 'created_at', 'rotated_at', 'destroy_at'],
  async (...call) => (await operations['GET /v1/keys'](...call)).keys,
  '--status disabled --json',
).addOption(new Option('--status <status>', 'only keys in this status').choices(statuses));

const show = onKey(
  'show',
  'Show a key and its newest versions. Also show how often clients used each of these versions.',
).action(async (idOrName: string, options: OnTenant) => {
  const key = await withKey(options, idOrName, operations['GET /v1/keys/:key_id']);
  if (options.json) return printResult(key, options);
  const { versions, versions_total, limit: _limit, offset: _offset, ...record } = key;
  printResult(record, options);
  process.stdout.write('\n');
  printResults(versions, ['key_version', 'created_at', 'wraps', 'unwraps', 'last_unwrap_at'], options);
  if (versions_total > versions.length)
    note(`${versions_total - versions.length} older versions are not shown.`);
  if (key.intake && key.status === 'active') next(showPublicKey(commandsOn(key, options)), options);
});

type CommandsOnKey = (command: string) => string;

function commandsOn({ key_id }: Pick<Key, 'key_id'>, { tenant }: OnTenant): CommandsOnKey {
  return (command) => `\`eaas key ${command} ${key_id} --tenant ${asWord(tenant)}\``;
}

const showPublicKey = (eaas: CommandsOnKey): string =>
  `${eaas('public-key')} shows the public key for writers`;

/** Makes a command that runs an operation on a key, and prints its result and what can come next. */
function keyCommand<Result extends Pick<Key, 'key_id'>>(
  name: string,
  description: string,
  run: OnKey<Result>,
  nextOf: (eaas: CommandsOnKey, result: Result) => string,
): Command {
  return onKey(name, description).action(async (idOrName: string, options: OnTenant) => {
    const result = await withKey(options, idOrName, run);
    printResult(result, options);
    next(nextOf(commandsOn(result, options), result), options);
  });
}

const changes = [
  keyCommand(
    'rotate',
    'Add a version to a key. New data keys use the new version, and older versions still decrypt.',
    operations['POST /v1/keys/:key_id/rotate'],
    (eaas, { intake }) =>
      intake ? showPublicKey(eaas) : `${eaas('show')} shows how often the older versions are still used`,
  ),
  keyCommand(
    'disable',
    'Disable a key immediately, on every server. A disabled key can still decrypt but not encrypt.',
    operations['POST /v1/keys/:key_id/disable'],
    (eaas) => `${eaas('enable')} enables the key again, ${eaas('destroy')} destroys it`,
  ),
  keyCommand(
    'enable',
    'Enable a disabled key.',
    operations['POST /v1/keys/:key_id/enable'],
    (eaas) => `${eaas('show')} shows how the key is used`,
  ),
  keyCommand(
    'restore',
    'Cancel the destruction of a key before its material is erased. The key is then disabled.',
    operations['POST /v1/keys/:key_id/restore'],
    (eaas) => `${eaas('enable')} lets the key encrypt again`,
  ),
];

function onKey(name: string, description: string): Command {
  const examples = [`key ${name} patients --tenant acme`];
  return onTenant(name, description, examples).argument('<key>', "the key's id or name");
}

const publicKey = keyCommand(
  'public-key',
  'Show the public key of an active intake key. Writers encrypt with it, without an API key.',
  operations['GET /v1/keys/:key_id/public-key'],
  (_, { intake_public_key }) =>
    intake_public_key === null
      ? 'create a key with --intake: only an intake key has a public key'
      : 'give intake_public_key to the writers, for `createIntake` or `eaas-files encrypt --public-key`',
);

const minVersion = onTenant(
  'min-version',
  'Refuse what is under older versions of a key. Every server does so at once. The version can be lowered again.',
  ['key min-version patients 3 --tenant acme'],
)
  .argument('<key>', "the key's id or name")
  .argument('<version>', 'the oldest version that opens', wholeNumber)
  .action(async (idOrName: string, version: number, options: OnTenant) => {
    const set = operations['PUT /v1/keys/:key_id/min-version'];
    const input = checked(endpoints['PUT /v1/keys/:key_id/min-version'].body, { key_version: version });
    const key = await withKey(options, idOrName, (service, operator, { key_id }) =>
      set(service, operator, { key_id, ...input }),
    );
    printResult(key, options);
    next(`${commandsOn(key, options)('show')} shows which versions are used`, options);
  });

interface DestroyOptions extends OnTenant {
  readonly graceDays: number;
  readonly confirm?: string;
}

const destroy = onTenant(
  'destroy',
  'Destroy a disabled key. After the grace days its material is permanently erased. Then nothing that was encrypted ' +
    'under the key can be decrypted. Prints how the key was used.',
  [
    'key disable patients --tenant acme',
    'key destroy patients --tenant acme --grace-days 7 --confirm patients',
  ],
)
  .argument('<key>', "the key's id or name")
  .option(
    '--grace-days <days>',
    `days until the key is erased, 0 to ${limits.graceDays}; until then \`key restore\` stops the destruction`,
    daysTo(limits.graceDays),
    limits.graceDaysDefault,
  )
  .option(
    '--confirm <name>',
    "the key's name. Required without a terminal; at a terminal the command asks for the name",
  )
  .action(async (idOrName: string, options: DestroyOptions) => {
    const { graceDays, confirm } = options;
    requireConfirmable(confirm, 'key');
    const key = await withTenant(options, async (service, operator) => {
      const { key_id, name } = await requireKey(service, operator, idOrName);
      note(usageOf(await operations['GET /v1/keys/:key_id'](service, operator, { key_id })));
      const when = graceDays === 0 ? 'at once' : `in ${graceDays} ${graceDays === 1 ? 'day' : 'days'}`;
      const warning = `The key will be permanently erased ${when}, and data that is encrypted under it will be lost.`;
      await requireConfirmed({ what: 'key', id: key_id, name }, confirm, warning);
      return operations['DELETE /v1/keys/:key_id'](service, operator, { key_id, grace_days: graceDays });
    });
    printResult(key, options);
    if (key.status === 'destroyed') return;
    next(`until ${key.destroy_at}, ${commandsOn(key, options)('restore')} keeps the key`, options);
  });

function usageOf({ name, key_id, key_version, versions }: Output<'GET /v1/keys/:key_id'>): string {
  const sum = (of: 'wraps' | 'unwraps') => versions.reduce((total, version) => total + version[of], 0);
  const lastUse = versions
    .map(({ last_unwrap_at }) => last_unwrap_at ?? '')
    .toSorted()
    .at(-1);
  return (
    `The key ${escapeHidden(JSON.stringify(name))} (${key_id}) has version ${key_version}. Clients wrapped ${sum('wraps')} data keys ` +
    `under this key and unwrapped ${sum('unwraps')}. ${lastUse ? `The last unwrap was at ${lastUse}` : 'It was never used to unwrap'}.`
  );
}

export const keyCommands = [create, list, show, publicKey, ...changes, minVersion, destroy];
