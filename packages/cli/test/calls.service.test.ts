// Each command that is a line of the table of calls, in an order in which each finds what it needs.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createIntake } from '@eaas/sdk/intake';
import { expect, test } from 'vitest';
import { commandLine, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { newSignIn } from '@eaas/test-kit/sign-in';
import { calls } from '../src/calls.ts';

const eaas = await commandLine();
for (const name of ['acme', 'other']) await eaas.json('tenant', 'create', '--name', name);
const jwks = join(await newDirectory(), 'jwks.json');
await writeFile(jwks, JSON.stringify({ keys: [newSignIn().jwk] }));

const once = 'The token is shown only once and is not stored: save it now.';
const signIn = '--issuer https://sign-in.example --audience https://app.example';
const anew = '`eaas key show :key_id --tenant acme` shows how';

/** What is typed, what is shown, and what is said. An id such as `:key_id` is the one that was shown last. */
const cases: readonly (readonly [command: string, shows: RegExp, says: string])[] = [
  [
    'key create --name patients --rotate-every 90',
    /^rotation_policy +\{"interval_days":90\}$/m,
    'Next: set EAAS_KEY_ID=:key_id for the application\n',
  ],
  ['key create --name quiet --json', /"name":"quiet"/, ''],
  ['key list --status active', /^key_id +name +status +intake [^]*^:key_id +patients +active +false /m, ''],
  ['key rotate patients --key-version 1', /^key_version +2$/m, `Next: ${anew} often the older versions are`],
  ['key min-version patients 2', /^min_version +2$/m, 'shows which versions are used'],
  ['key disable :KEY_ID', /^status +disabled$/m, '`eaas key destroy :key_id --tenant acme` destroys it'],
  ['key enable patients', /^status +active$/m, `Next: ${anew} the key is used`],
  ['key public-key patients', /^intake_public_key +-$/m, 'Next: create a key with --intake: only an intake'],
  ['key disable patients', /^status +disabled$/m, 'Next: `eaas key enable :key_id --tenant acme` enables'],
  [
    'key destroy patients --confirm patients',
    /^status +pending_/m,
    '`eaas key restore :key_id --tenant acme`',
  ],
  ['key restore patients', /^status +disabled$/m, 'Next: `eaas key enable :key_id --tenant acme` lets'],
  ['key create --name form --intake', /^intake +true$/m, 'Next: `eaas key public-key :key_id --tenant acme`'],
  [
    'key show form',
    /^key_version +created_at +wraps[^]*^1 +2/m,
    'Next: `eaas key public-key :key_id --tenant',
  ],
  ['key public-key form', /^intake_public_key +eaas_pk_/m, 'Next: give intake_public_key to the writers'],
  [
    "api-key create --name web --permissions encrypt,decrypt --allowed-origins 'https://a.example, https://b.example'",
    /^permissions +encrypt, decrypt$[^]*^allowed_origins +https:\/\/a\.example, https:\/\/b\.example$/m,
    `${once}\nNext: set EAAS_API_KEY to the token for the application\n`,
  ],
  ['api-key create --name gone --permissions all --json', /"created_by":"operator".*"eaas_sk_/, `${once}\n`],
  ['api-key list', /^(?![^]*eaas_sk_)api_key_id +name [^]*^:api_key_id +web /m, ''],
  // The last one that manages API keys.
  ['api-key revoke gone', /^revoked_at +2/m, 'Next: `eaas audit follow --tenant acme --once | grep '],
  [
    `issuer add --name staff ${signIn} --permissions encrypt,decrypt --key-ids :key_id --jwks ${jwks} --any-subject ` +
      "--require 'role=doctor, nurse' --subject-prefix staff:",
    /^any_subject +true$[^]*^require +\{"role":\["doctor","nurse"\]\}$/m,
    "Next: pass `issuer: ':issuer_id'` to the SDK (without it: the header Eaas-Issuer)\n",
  ],
  [
    'issuer set :issuer_id --max-age-seconds 900 --require role=doctor --require ward=3 --authorized-parties web,app',
    /^authorized_parties +web, app$[^]*^max_age_seconds +900$[^]*^require +\{"role":\["doctor"\],"ward":\["3"\]\}$/m,
    '',
  ],
  ['issuer set :issuer_id --authorized-parties null', /^authorized_parties +-$/m, ''],
  ['issuer show :issuer_id', /^subject_prefix +staff:$[^]*^jwks +\{"keys":\[/m, ''],
  ['issuer revoke :issuer_id', /^revoked_at +2/m, ''],
  ['issuer list', /^issuer_id +name +kind [^]*^:issuer_id +staff +people /m, ''],
  ['audit checkpoint', /^eaas\.audit-chain\.v1\/[^]*\n— eaas\//, 'Pin this verifier key: eaas/'],
];

const ids = new Map<string, string>();
const filled = (text: string): string =>
  text.replace(/:(\w+_id)\b/gi, (_, name: string) => {
    const id = ids.get(name.toLowerCase()) ?? '';
    return name === name.toUpperCase() ? id.toUpperCase() : id;
  });
const wordsIn = (line: string): string[] =>
  Array.from(line.matchAll(/'([^']*)'|\S+/g), ([word, quoted]) => quoted ?? word);

test.each(cases)('eaas %s', async (command, shows, says) => {
  const { code, stdout, stderr } = await eaas(...wordsIn(filled(command)), '--tenant', 'acme');
  for (const [, name = '', id = ''] of stdout.matchAll(/^(\w+_id) +([\da-f-]{36})$/gm)) ids.set(name, id);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(new RegExp(filled(shows.source), shows.flags)) as string,
  });
  expect(stderr).toContain(filled(says));
  expect(stderr === '').toBe(says === '');
});

test('each command of the table of calls is among them', () => {
  const typed = new Set(cases.map(([command]) => command.split(' ').slice(0, 2).join(' ')));
  expect(Object.keys(calls).filter((name) => !typed.has(name))).toEqual([]);
});

test.each([
  ['key disable', ':key_id', 'The tenant has no key with this id or name: `eaas key list'],
  ['key disable', 'form', 'The tenant has no key with this id or name: `eaas key list'],
  ['api-key revoke', randomUUID(), 'The tenant has no API key with this id or name: `eaas api-key list'],
  ['issuer revoke', ':issuer_id', 'The tenant has no issuer with this id: `eaas issuer list --tenant '],
])('eaas %s %s finds nothing in another tenant, and says where to look', async (command, id, message) => {
  const words = [...command.split(' '), filled(id), '--tenant', 'other'];
  expect(await refusalOf(eaas(...words), 1)).toContain(message);
});

test('writers encrypt with the public key that is shown', async () => {
  const { stdout } = await eaas('key', 'public-key', 'form', '--tenant', 'acme');
  const [, publicKey = ''] = /^intake_public_key +(\S+)$/m.exec(stdout) ?? [];
  expect(createIntake({ publicKey })).toMatchObject({ keyVersion: 1 });
});
