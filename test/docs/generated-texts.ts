// What the front page, the architecture, the pages of docs/start and that of the limits take from elsewhere, or have in common: the
// files of examples, what their reader does, the way of a call, and the limits.
import { limits } from '@eaas/protocol/wire';
import { read } from '@eaas/test-kit/markdown';
import { table } from '@eaas/test-kit/outcomes';
import * as format from '../../packages/protocol/src/format-sizes.ts';
import { limitsOf } from '../../packages/sdk/src/data-keys/limits.ts';

const install = '[not on npm yet](../../README.md#install-the-packages)';
const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };
const node = engines.node.replace('>=', '');

const english = (value: number): string => value.toLocaleString('en');

const lockingKeys: Readonly<Record<string, string>> = {
  aws: 'a symmetric key `alias/eaas-local` in AWS KMS, which the app may decrypt with',
  vault: 'a key `local-production` in the Transit engine of OpenBao or Vault',
};

/** The files through which a call goes, in order. Each says in its first lines what it does. */
const ways: Readonly<Record<string, readonly string[]>> = {
  encrypt: [
    'sdk/src/client/envelope-client.ts',
    'sdk/src/client/encrypt.ts',
    'sdk/src/data-keys/encrypting.ts',
    'sdk/src/data-keys/cache.ts',
    'sdk/src/data-keys/calls.ts',
    'sdk/src/http/batches.ts',
    'sdk/src/http/transport.ts',
    'sdk/src/data-keys/derive.ts',
    'sdk/src/data-keys/ciphertext.ts',
    'protocol/src/engines/node-text.ts',
  ],
  wrap: [
    'server/src/http/app.ts',
    'server/src/http/api.ts',
    'service/src/answer.ts',
    'service/src/caller.ts',
    'service/src/rules/authorize.ts',
    'server/src/fair.ts',
    'server/src/http/body.ts',
    'service/src/operate.ts',
    'service/src/operations/data-keys.ts',
    'service/src/ledger/ledger.ts',
    'service/src/ledger/guess.ts',
    'service/src/ledger/judge.ts',
    'service/src/rules/data-key-rules.ts',
    'service/src/ledger/queue.ts',
    'server/src/postgres/append.ts',
  ],
};

/** The first sentence of a file, in the comment at its top. */
function aboutFile(path: string): string {
  const [comment] = /^(?:\/\/ .*\n)+/m.exec(read(path)) ?? [];
  if (comment === undefined) throw new Error(`${path} must begin with a comment on its purpose (got none)`);
  const [sentence = ''] = comment
    .replaceAll(/\s*^\/\/ /gm, ' ')
    .trim()
    .split(/(?<=\.) /);
  return sentence;
}

/** A file of the examples, as its reader saves it. */
function fileOf(path: string): string {
  const name = path.replace(/^examples\/(?:start\/)?[^/]+\//, '');
  return `\`${name}\`\n\n\`\`\`${name.replace(/.*\.(?:m(?=[jt]s$))?/, '')} ${name}\n${read(path)}\`\`\``;
}

const stored =
  '[ciphertexts](../glossary.md), which begin with `eaasA`, and fingerprints (keyed hashes for the search). The service saw neither names nor\naddresses';

/** By the first word of a region's name; the other words are the arguments. */
export const texts: Readonly<Record<string, (...words: readonly string[]) => string>> = {
  /** The way of a call, by what each file says about itself. */
  way: (name = '') =>
    (ways[name] ?? [])
      .map(
        (file, at) =>
          `${at + 1}. [\`${file.replace('/src', '')}\`](../packages/${file}): ${aboutFile(`packages/${file}`)}`,
      )
      .join('\n'),
  /** What the reader of a start page does in the browser. */
  browse: (
    url = '',
  ) => `Open <${url}>, and add Ada Lovelace with Ada@Example.com, born 1815-12, and Grace Hopper with
grace@example.com, born 1906-12:

\`\`\`text
Ada Lovelace, Ada@Example.com, born 1815-12
Grace Hopper, grace@example.com, born 1906-12
\`\`\`

Find ADA@example.com. Then add ada@example.com once more:

\`\`\`text
Found Ada Lovelace.
This address is taken.
\`\`\`

The columns of \`patients.db\` hold ${stored}, but it logged that your app asked for data keys:

\`\`\`sh
npx --no-install @eaas/cli audit follow --tenant dev --once
\`\`\`

\`\`\`
…"key.wrap"…
\`\`\`

Everyone who opens this page can read all patients: add your sign-in before you store real ones.`,
  /** What the reader of a start page does with curl, and how the app says that an address is taken. */
  curl: (...taken) => `\`\`\`sh
curl -sw '\\n' localhost:3000/patients --json '{"name":"Ada Lovelace","email":"Ada@Example.com","born":"1815-12"}'
curl -sw '\\n' localhost:3000/patients/search --json '{"email":" ADA@example.com"}'
curl -sw '\\n' localhost:3000/patients --json '{"name":"Ada","email":"ada@example.com","born":"1815-12"}'
\`\`\`

\`\`\`
{"added":"Ada Lovelace"}
[{"name":"Ada Lovelace","email":"Ada@Example.com","born":"1815-12"}]
${taken.join(' ')}
\`\`\`

Look at the table with \`psql\`: it holds ${stored}. Everyone who reaches this app can read the list: add your sign-in before you store real patients.`,
  /** The picture and the code at the top of the front page. */
  front: () => {
    const [head = ''] = read('README.md').split(/^## /m);
    const shown = head.match(/^(?:!\[[^\]]*\]\([^)]+\)$|```.*?^```$)/gms) ?? [];
    return shown.join('\n\n').replace('](docs/', '](../');
  },
  sizes: () =>
    table([
      ['what', 'at most', 'beyond it'],
      ['a value that the SDK encrypts', 'memory', 'a [stream](../packages/sdk/docs/streams.md)'],
      ['a value for server mode, or for `hash`', `${english(limits.text)} bytes`, '400'],
      ['a context, encoded', `${english(format.maxContext)} bytes`, 'an `InputError`'],
      ['a name in a context', `${format.maxContextName} bytes`, 'an `InputError`'],
      ['values under one data key', english(limitsOf('server').encrypt.maxMessages), 'the next data key'],
      ['items of a batch', english(limits.batchItems), 'the SDK sends several requests'],
      ['the body of a request', `${limits.body / 2 ** 20} MiB`, '413'],
      ['buckets of a search by range', '1,000', 'an `InputError`'],
      ['keys of a tenant', 'no limit', '[measured](benchmarks.md) with 1,000,000'],
      ['versions of a key', english(limits.keyVersions), '409: create another key'],
      ['API keys of a tenant', english(limits.apiKeys), '409: revoke one'],
      ['keys that an API key is limited to', english(limits.keyIds), '400'],
      ['days until a key is destroyed', english(limits.graceDays), '400'],
      ['a monthly quota', 'none for the SDK', '429, only for `POST /v1/encrypt`, if the operator sets one'],
    ]),
  prerequisites: (version = node, beside = '') =>
    `You need Node ${version} or later. The packages are ${install}: make their tarballs in \`/tmp\` first.${
      beside && ' In the same clone, make a folder beside it for the app:'
    }`,
  /** How the variable of an app in this file is locked, by the program and the module of an example. */
  locked: (
    name = '',
    variables = '',
  ) => `With [a lock](../../packages/local/README.md#locked-by-a-key-service), the variable alone opens nothing. Make ${lockingKeys[name]}, and
lock the variable:

\`\`\`sh
cp ../eaas/examples/local-kms/${name}.* .
export EAAS_LOCAL_NEW_KMS_COMMAND="$PWD/${name}.sh"
npx --no-install @eaas/local lock < ${variables} > locked && mv locked ${variables}
\`\`\`

From then on, \`rotate\` needs the program in \`EAAS_LOCAL_KMS_COMMAND\`. Your app unlocks the variable once per process, on its
first call. This module does it:

${fileOf(`examples/local-kms/${name}.mjs`)}`,
  file: (path = '') => fileOf(path),
  example: (
    name = '',
    ...packages
  ) => `You need Node ${node} or later. The packages are ${install}: make their tarballs in
\`/tmp\` first. In the same clone, copy [the example](../../examples/start/${name}), and install what it needs:

\`\`\`sh
cp -R examples/start/${name} ../clinic && cd ../clinic
npm init -y && npm pkg set type=module
npm install /tmp/eaas-*.tgz ${packages.join(' ')}
npx --no-install @eaas/cli dev --env &
\`\`\`

The last command starts the service that keeps the keys, in the background. It adds what the app needs to \`.env\`:

\`\`\`
Wrote EAAS_BASE_URL, EAAS_API_KEY, EAAS_KEY_ID, EAAS_INDEX_KEY to .env. …
\`\`\``,
};
