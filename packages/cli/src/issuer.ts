// Issuers: the sign-ins of an app, whose tokens the service accepts.
import { readFile } from 'node:fs/promises';
import { WrongUsage } from './kit/index.ts';
import { endpoints, type IssuerPermission, issuerPermissions, limits } from '@eaas/protocol/wire';
import { asWord, checked, operations } from '@eaas/server/internal';
import { type Command, InvalidArgumentError } from 'commander';
import { allPages, type OnTenant, onTenant, withTenant } from './command.ts';
import { orNotFound } from './failure.ts';
import { next, printResult, printResults } from './output.ts';
import { list, listOrNull, permissionNamed, wholeNumber } from './values.ts';

type Accepted = Readonly<Record<string, readonly string[]>>;

/** What `add` and `set` both take. Commander cannot hold null, so options that can be removed have the text `null`. */
interface FieldOptions extends OnTenant {
  readonly name?: string;
  readonly jwks?: string;
  readonly jwksUri?: string;
  readonly permissions?: readonly IssuerPermission[];
  readonly keyIds?: readonly string[];
  readonly authorizedParties?: readonly string[] | 'null';
  readonly allowedOrigins?: readonly string[] | 'null';
  readonly require?: Accepted | 'null';
  readonly maxAgeSeconds?: number;
  readonly expiresAt?: string;
}

interface AddOptions extends FieldOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly subjectClaim?: string;
  readonly subjectPrefix?: string;
  readonly anySubject?: true;
}

function withFields(command: Command, isNew: boolean): Command {
  const [needed, orNull] = isNew ? [requiredOption, ''] : [option, '|null'];
  needed(command, '--name <name>', 'what the issuer is for');
  needed(
    command,
    '--permissions <list>',
    `what users may do: some of ${issuerPermissions.join(',')}`,
    (text) => list(text).map((name) => permissionNamed(name, issuerPermissions)),
  );
  needed(command, '--key-ids <list>', 'the keys that users may use', list);
  return command
    .option('--jwks <file>', 'a file with the public keys of the sign-in (a JSON Web Key Set)')
    .option(
      '--jwks-uri <uri>',
      'instead, where the server fetches them. Set EAAS_ISSUER_HOSTS to allow the host, here and for the servers',
    )
    .option(
      `--authorized-parties <list${orNull}>`,
      'the clients (azp) that may present tokens with several audiences',
      listOrNull,
    )
    .option(
      `--allowed-origins <list${orNull}>`,
      'let pages of these origins send tokens, such as https://app.example',
      listOrNull,
    )
    .option(
      `--require <claim=value,value${orNull}>`,
      'accept only tokens whose claim has one of these values; repeat it for several claims',
      accepted,
    )
    .option(
      '--max-age-seconds <number>',
      `how long a token may be valid: 60 to ${limits.tokenAge} seconds (3600 by default)`,
      wholeNumber,
    )
    .option(`--expires-at <time${orNull}>`, 'when the issuer expires (RFC 3339)');
}

type Parse = (text: string) => unknown;
const requiredOption = (command: Command, flags: string, about: string, parse: Parse = String): Command =>
  command.requiredOption(flags, about, parse);
const option = (command: Command, flags: string, about: string, parse: Parse = String): Command =>
  command.option(flags, about, parse);

/** Adds `claim=value,value` to what was required before. */
function accepted(text: string, before?: Accepted | 'null'): Accepted | 'null' {
  const at = text.indexOf('=');
  if (text === 'null') return text;
  if (at < 1) throw new InvalidArgumentError('Pass a claim and its values, as in role=doctor,nurse.');
  const claim = text.slice(0, at);
  if (typeof before === 'object' && Object.hasOwn(before, claim))
    throw new InvalidArgumentError('Pass each claim once, with all of its values, as in role=doctor,nurse.');
  return { ...(typeof before === 'object' && before), [claim]: list(text.slice(at + 1)) };
}

/** Returns the fields of the API that the options say. */
async function fieldsOf(options: FieldOptions) {
  const { name, permissions, keyIds, jwks, maxAgeSeconds } = options;
  const [parties, origins] = [options.authorizedParties, options.allowedOrigins];
  const fields = {
    name,
    permissions,
    key_ids: keyIds,
    jwks: jwks === undefined ? undefined : await keySetIn(jwks),
    jwks_uri: options.jwksUri,
    authorized_parties: orNull(parties),
    allowed_origins: orNull(origins),
    require: orNull(options.require),
    max_age_seconds: maxAgeSeconds,
    expires_at: orNull(options.expiresAt),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const orNull = <Value>(value: Value): Value | null => (value === 'null' ? null : value);

/** Reads a key set. Other members than `keys`, which providers add, say nothing here. */
async function keySetIn(path: string): Promise<object> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(`--jwks ${asWord(path)} cannot be read (${error.code ?? error.message}).`);
  });
  const keys = keysIn(text);
  if (!keys) {
    throw new WrongUsage(
      `--jwks ${asWord(path)} is not a JSON Web Key Set: it must be a JSON object whose \`keys\` is a list. ` +
        'The sign-in publishes it, often as /.well-known/jwks.json.',
    );
  }
  return { keys };
}

function keysIn(text: string): unknown[] | undefined {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    return Array.isArray(keys) ? keys : undefined;
  } catch {
    return undefined;
  }
}

const missing = (tenantId: string): string =>
  `The tenant has no issuer with this id: \`eaas issuer list --tenant ${tenantId}\` lists them.`;
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
  .option('--subject-claim <claim>', 'the claim that names the user (sub by default)')
  .option(
    '--subject-prefix <text>',
    'what stands before it in the subject, as in staff: (nothing by default)',
  )
  .option('--any-subject', "for staff: users may open everyone's data; needs --require")
  .action(async (options: AddOptions) => {
    const input = checked(endpoints['POST /v1/issuers'].body, {
      issuer: options.issuer,
      audience: options.audience,
      subject_claim: options.subjectClaim,
      subject_prefix: options.subjectPrefix,
      any_subject: options.anySubject,
      ...(await fieldsOf(options)),
    });
    const made = await withTenant(options, (service, operator) =>
      orNotFound(missingKeys, operations['POST /v1/issuers'](service, operator, input)),
    );
    printResult(made, options);
    next(`pass \`issuer: '${made.issuer_id}'\` to the SDK (without it: the header Eaas-Issuer)`, options);
  });

const listAll = onTenant('list', "List a tenant's issuers, newest first.", [
  'issuer list --tenant acme',
  'issuer list --tenant acme --json',
]).action(async (options: OnTenant) => {
  const read = operations['GET /v1/issuers'];
  const issuers = await withTenant(options, (service, operator) =>
    allPages(
      async (page) => (await read(service, operator, page)).issuers,
      ({ issuer_id }) => issuer_id,
    ),
  );
  const columns = ['name', 'issuer', 'permissions', 'any_subject', 'expires_at', 'revoked_at'] as const;
  printResults(issuers, ['issuer_id', ...columns], options);
});

const onIssuer = (name: string, description: string, ...examples: string[]): Command =>
  onTenant(name, description, [
    `issuer ${name} 6d0f2a1c-3b58-4e0b-9c1d-7a54c1b0e2f3 --tenant acme`,
    ...examples,
  ]).argument('<issuer_id>', 'the id of the issuer');

const show = onIssuer('show', 'Show an issuer.').action(async (issuer_id: string, options: OnTenant) => {
  const found = await withTenant(options, (service, operator) =>
    orNotFound(
      missing(operator.tenantId),
      operations['GET /v1/issuers/:issuer_id'](service, operator, { issuer_id }),
    ),
  );
  printResult(found, options);
});

const set = withFields(
  onTenant(
    'set',
    'Change an issuer. The change counts at once, on every replica, for tokens that exist too.',
    [
      'issuer set 6d0f2a1c-3b58-4e0b-9c1d-7a54c1b0e2f3 --tenant acme --jwks keys.json',
      "issuer set 6d0f2a1c-3b58-4e0b-9c1d-7a54c1b0e2f3 --tenant acme --require 'role=doctor' --expires-at null",
    ],
  ).argument('<issuer_id>', 'the id of the issuer'),
  false,
).action(async (issuer_id: string, options: FieldOptions) => {
  const input = checked(endpoints['PATCH /v1/issuers/:issuer_id'].body, await fieldsOf(options));
  if (Object.keys(input).length === 0)
    throw new WrongUsage('Pass at least one option that changes the issuer, as in --max-age-seconds 900.');
  const changed = await withTenant(options, async (service, operator) => {
    await orNotFound(
      missing(operator.tenantId),
      operations['GET /v1/issuers/:issuer_id'](service, operator, { issuer_id }),
    );
    const change = operations['PATCH /v1/issuers/:issuer_id'];
    return orNotFound(missingKeys, change(service, operator, { ...input, issuer_id }));
  });
  printResult(changed, options);
});

const revoke = onIssuer(
  'revoke',
  'Revoke an issuer immediately and permanently. None of its tokens is accepted any more.',
).action(async (issuer_id: string, options: OnTenant) => {
  const revoked = await withTenant(options, (service, operator) =>
    orNotFound(
      missing(operator.tenantId),
      operations['DELETE /v1/issuers/:issuer_id'](service, operator, { issuer_id }),
    ),
  );
  printResult(revoked, options);
});

export const issuerCommands = [add, listAll, show, set, revoke];
