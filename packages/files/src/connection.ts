// The options that several commands share, and what they work with: a client of the service, or exported keys without it.
import { WrongUsage } from './kit.ts';
import { parseUuid } from '@eaas/protocol';
import { isSubjectWrapped } from '@eaas/protocol/internal';
import { type Context, type DecryptOptions, EaasClient } from '@eaas/sdk';
import type { StreamClient } from '@eaas/sdk/stream';
import { option, type Options, repeatable } from './command.ts';
import { CannotStart, FileFailure } from './failure.ts';

export const recursive = option('-r, --recursive', 'process the files in folders and their subfolders');

export const quiet = option('-q, --quiet', 'show no progress');

export const insecureHttp = option(
  '--insecure-http',
  'allow http: to another machine, on a network that you trust',
);

export const contextOption = repeatable(
  '--context <name=value>',
  'bind the data to this name and value (repeatable). Decryption needs the same. Not secret',
);

export const subjectOption = option(
  '--subject <id>',
  'the person whose data it is, by the opaque id that the application uses. Decryption needs the same',
);

/**
 * Throws FileFailure for the file of a person without a subject, and for a file of nobody with a subject. A rewrap gives
 * the file of a writer a subject.
 */
export function requireSubjectMatch(
  wrappedKey: Uint8Array,
  subject: string | undefined,
  { isRewrap = false } = {},
): void {
  const [format, suite] = wrappedKey;
  if (subject === undefined) {
    if (isSubjectWrapped(wrappedKey)) throw new FileFailure('the file belongs to a person: pass --subject');
  } else if (suite === 1 && (format === 1 || (format === 2 && !isRewrap))) {
    throw new FileFailure('the file belongs to nobody: leave out --subject');
  }
}

/** The options for keys that decrypt. */
export const opening = [
  repeatable('--key <id>', 'accept this key instead of EAAS_KEY_ID (repeatable)'),
  option('--any-key', 'accept every key that the API key may use'),
  repeatable(
    '--exported-key <path>',
    'decrypt without the service, with a key that was exported (repeatable)',
  ),
  option('--private-key <path>', 'the RSA private key of the export, in PEM or JWK'),
];

export interface Opener {
  readonly client: StreamClient;
  readonly expected: Pick<DecryptOptions, 'keyId' | 'anyKey'>;
  /** What to do for a file under another key. */
  readonly elsewhere: (keyId: string) => string;
}

export async function withClient<T>(options: Options, work: (client: EaasClient) => Promise<T>): Promise<T> {
  requireVariables();
  const client = new EaasClient({ insecureHttp: options.insecureHttp === true });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function requireVariables(): void {
  const { EAAS_BASE_URL, EAAS_API_KEY, EAAS_KEY_ID } = process.env;
  const missing = Object.entries({ EAAS_BASE_URL, EAAS_API_KEY }).flatMap(([name, value]) =>
    value ? [] : name,
  );
  if (missing.length > 0) {
    throw new CannotStart(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set: set EAAS_BASE_URL to the ` +
        `URL of the service, and EAAS_API_KEY to an API key.`,
    );
  }
  if (EAAS_KEY_ID && parseUuid(EAAS_KEY_ID) === undefined) {
    throw new CannotStart('EAAS_KEY_ID must be a UUID: set it to the `key_id` of the key, not to its name.');
  }
}

export async function withOpener<T>(options: Options, work: (opener: Opener) => Promise<T>): Promise<T> {
  const keyIds = keyIdsIn(options);
  const { exportedKey: exportedKeys = [], privateKey } = options;
  if (exportedKeys.length > 0) {
    if (privateKey === undefined) throw new WrongUsage('--exported-key needs --private-key.');
    const { openOffline } = await import('./offline.ts');
    const client = await openOffline(exportedKeys, privateKey);
    return work({
      client,
      expected: { keyId: keyIds.length > 0 ? keyIds : client.keyIds },
      elsewhere: () => 'pass the export of its key with --exported-key',
    });
  }
  if (privateKey !== undefined) throw new WrongUsage('--private-key needs --exported-key.');
  return withClient(options, (client) => {
    const elsewhere = (keyId: string): string => `pass --key ${keyId}`;
    if (options.anyKey) return work({ client, expected: { anyKey: true }, elsewhere });
    if (keyIds.length > 0) return work({ client, expected: { keyId: keyIds }, elsewhere });
    if (client.keyId === undefined) {
      throw new CannotStart(
        'The id of the expected key is missing: set EAAS_KEY_ID, pass --key, or accept every key with --any-key.',
      );
    }
    return work({ client, expected: { keyId: client.keyId }, elsewhere });
  });
}

export function keyIdsIn({ key = [] }: Options): readonly string[] {
  const ids = [key].flat();
  if (ids.every((id) => parseUuid(id) !== undefined)) return ids;
  throw new WrongUsage('--key must be a UUID: pass the `key_id` of the key, not the name of the key.');
}

export function contextIn({ context: texts = [] }: Options): Context | undefined {
  const pairs = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new WrongUsage('--context must have a name and a value, as in --context document=17.');
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) {
    throw new WrongUsage('--context must not have the same name twice: pass one value for each name.');
  }
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
