// Issuers: the sign-ins of an app, whose tokens the service accepts.
import { WrongUsage } from './kit/index.ts';
import {
  endpoints,
  type IssuerPermission,
  issuerPermissions,
  limits,
  type Output,
} from '@eaas/protocol/wire';
import { asWord, type Caller, checked, operations, type Service } from '@eaas/server/internal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { listCommand, type OnTenant, onTenant, withTenant } from './command.ts';
import { orNotFound } from './failure.ts';
import { readGiven } from './given-file.ts';
import { next, printResult } from './output.ts';
import { fieldsOf, list, orNull, permissionNamed, wholeNumber } from './values.ts';

function withFields(command: Command, isNew: boolean): Command {
  const removal = isNew ? '' : '|null';
  const needed = (flags: string, about: string): Option =>
    new Option(flags, about).makeOptionMandatory(isNew);
  const permissions = needed(
    '--permissions <list>',
    `what its tokens allow: some of ${issuerPermissions.join(',')}`,
  );
  return command
    .addOption(needed('--name <name>', 'what the issuer is for'))
    .addOption(permissions.argParser(issuerPermissionList))
    .addOption(needed('--key-ids <list>', 'the keys that users may use').argParser(list))
    .option('--jwks <file>', 'a file with the public keys of the sign-in (a JSON Web Key Set)', keySetIn)
    .option(
      '--jwks-uri <uri>',
      'instead, where the server fetches them. Set EAAS_ISSUER_HOSTS to allow the host, here and for the servers',
    )
    .option(
      `--authorized-parties <list${removal}>`,
      'the clients (azp) that may present tokens with several audiences',
      orNull(list),
    )
    .option(
      `--allowed-origins <list${removal}>`,
      'let pages of these origins send tokens, such as https://app.example',
      orNull(list),
    )
    .option(
      `--require <claim=value,value${removal}>`,
      'accept only tokens whose claim has one of these values; repeat it for several claims',
      orNull(accepted),
    )
    .option(
      '--max-age-seconds <number>',
      `how long a token may be valid: 60 to ${limits.tokenAge} seconds (3600 by default)`,
      wholeNumber,
    )
    .option(`--expires-at <time${removal}>`, 'when the issuer expires (RFC 3339)', orNull(String));
}

const issuerPermissionList = (text: string): IssuerPermission[] =>
  list(text).map((name) => permissionNamed(name, issuerPermissions));

/** Adds `claim=value,value` to what was required before. */
function accepted(text: string, before: unknown): object {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Pass a claim and its values, as in role=doctor,nurse.');
  const claim = text.slice(0, at);
  const others = typeof before === 'object' && before !== null ? before : {};
  if (Object.hasOwn(others, claim))
    throw new InvalidArgumentError('Pass each claim once, with all of its values, as in role=doctor,nurse.');
  return { ...others, [claim]: list(text.slice(at + 1)) };
}

/** Reads a key set. Other members than `keys`, which providers add, say nothing here. */
function keySetIn(path: string): object {
  const keys = keysIn(readGiven(path, 'key set'));
  if (keys) return { keys };
  throw new WrongUsage(
    `--jwks ${asWord(path)} is not a JSON Web Key Set: it must be a JSON object whose \`keys\` is a list. ` +
      'The sign-in publishes it, often as /.well-known/jwks.json.',
  );
}

function keysIn(text: string): unknown[] | undefined {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    return Array.isArray(keys) ? keys : undefined;
  } catch {
    return undefined;
  }
}

const missingKeys = 'The tenant does not have all of the keys in --key-ids: pass only ids of its own keys.';

const add = withFields(
  onTenant(
    'add',
    'Accept the tokens of a sign-in. Everything but what names its users can be changed later.',
    [
      'issuer add --tenant acme --name patients --issuer https://sign-in.example --audience https://app.example ' +
        '--jwks keys.json --permissions encrypt,decrypt --key-ids 0b6c9a52-6f0e-4d5a-9a5c-2f4f1d1e7c11',
      'issuer add --tenant acme --name staff --issuer https://staff.example --audience https://app.example ' +
        '--jwks-uri https://staff.example/keys --permissions decrypt --key-ids ' +
        "0b6c9a52-6f0e-4d5a-9a5c-2f4f1d1e7c11 --any-subject --require 'role=doctor,nurse'",
    ],
  )
    .requiredOption('--issuer <text>', 'the `iss` of the tokens, exactly')
    .requiredOption('--audience <text>', 'the `aud` of the tokens, exactly'),
  true,
)
  .addOption(new Option('--kind <kind>', 'whose tokens they are').choices(['people', 'workload']))
  .option('--subject-claim <claim>', 'the claim that names the user (sub by default)')
  .option(
    '--subject-prefix <text>',
    'what stands before it in the subject, as in staff: (nothing by default)',
  )
  .option('--any-subject', "for staff: users may open everyone's data; needs --require")
  .action(async (options: OnTenant) => {
    const input = checked(endpoints['POST /v1/issuers'].body, fieldsOf(options));
    const made = await withTenant(options, (service, operator) =>
      orNotFound(missingKeys, operations['POST /v1/issuers'](service, operator, input)),
    );
    printResult(made, options);
    next(`pass \`issuer: '${made.issuer_id}'\` to the SDK (without it: the header Eaas-Issuer)`, options);
  });

const listAll = listCommand(
  'issuer',
  "List a tenant's issuers, newest first.",
  ['issuer_id', 'name', 'kind', 'issuer', 'permissions', 'any_subject', 'expires_at', 'revoked_at'],
  async (...call) => (await operations['GET /v1/issuers'](...call)).issuers,
);

const exampleId = '6d0f2a1c-3b58-4e0b-9c1d-7a54c1b0e2f3';

const onIssuer = (name: string, description: string, ends: readonly string[] = ['']): Command =>
  onTenant(
    name,
    description,
    ends.map((end) => `issuer ${name} ${exampleId} --tenant acme${end}`),
  ).argument('<issuer_id>', 'the id of the issuer');

type Issuer = Output<'POST /v1/issuers'>;

/** Finds the issuer, and returns what `work` returns. */
function withIssuer(
  options: OnTenant,
  issuer_id: string,
  work: (service: Service, operator: Caller, issuer: Issuer) => Issuer | Promise<Issuer>,
): Promise<Issuer> {
  return withTenant(options, async (service, operator) => {
    const missing = `The tenant has no issuer with this id: \`eaas issuer list --tenant ${operator.tenantId}\` lists them.`;
    const show = operations['GET /v1/issuers/:issuer_id'];
    return work(service, operator, await orNotFound(missing, show(service, operator, { issuer_id })));
  });
}

const show = onIssuer('show', 'Show an issuer.').action(async (issuer_id: string, options: OnTenant) => {
  printResult(await withIssuer(options, issuer_id, (_service, _operator, issuer) => issuer), options);
});

const set = withFields(
  onIssuer(
    'set',
    'Change an issuer. The change counts at once, on every replica, for tokens that exist too.',
    [' --jwks keys.json', " --require 'role=doctor' --expires-at null"],
  ),
  false,
).action(async (issuer_id: string, options: OnTenant) => {
  const input = checked(endpoints['PATCH /v1/issuers/:issuer_id'].body, fieldsOf(options));
  if (Object.keys(input).length === 0)
    throw new WrongUsage('Pass at least one option that changes the issuer, as in --max-age-seconds 900.');
  const change = operations['PATCH /v1/issuers/:issuer_id'];
  const changed = await withIssuer(options, issuer_id, (service, operator) =>
    orNotFound(missingKeys, change(service, operator, { ...input, issuer_id })),
  );
  printResult(changed, options);
});

const revoke = onIssuer(
  'revoke',
  'Revoke an issuer immediately and permanently. None of its tokens is accepted any more.',
).action(async (issuer_id: string, options: OnTenant) => {
  const revoked = await withIssuer(options, issuer_id, operations['DELETE /v1/issuers/:issuer_id']);
  printResult(revoked, options);
});

export const issuerCommands = [add, listAll, show, set, revoke];
