// Public calls with arguments of wrong kinds, with values that were passed by mistake, and with misspelt options.
import { inspect } from 'node:util';
import { some } from '@eaas/test-kit/cases';
import { intakeKey } from '@eaas/test-kit/intake-key';
import { witnessedLog } from '@eaas/test-kit/witnessed-log';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bytesOf, observedClient } from '../../test/observed-client.ts';
import { createBrowserClient } from '../browser/browser.ts';
import * as fields from '../fields/fields.ts';
import { EaasClient, EaasError, InputError } from '../index.ts';
import { createIntake } from '../intake/intake.ts';
import { openPasskeyHalf } from '../passkey/passkey.ts';
import { createProxy } from '../proxy/proxy.ts';
import * as streams from '../stream/stream.ts';

const single = [null, undefined, true, 7, -1, Number.NaN, 10n, '', 'text', () => undefined];
const wrong: readonly unknown[] = [...single, new Uint8Array(3), [], [null], [undefined], {}, { unknown: 1 }];
const mistakes = ['Ada Lovelace', 'kq3JmP9xQz', '4111111111111111', 4111111111111111];

// Replaces the default of the option `fetch`, so that these tests do not use the network.
beforeAll(() => void vi.stubGlobal('fetch', async () => new Response(null, { status: 404 })));
afterAll(() => void vi.unstubAllGlobals());

const { client, service, keyId, events } = await observedClient({ retries: 0 });
const { baseUrl, apiKey } = service;
const { key_id: spare } = await service.createKey('spare');
const bundle = await client.encrypt('x', { as: 'bundle' });
const wrapped = await client.wrap(new Uint8Array(32));
await client.prime({ ciphertexts: [bundle], encrypt: true });
const token = await fields.createIndexKey(client);
const users = { email: fields.field.text({ context: 'field' }).searchable() };
const definition = fields.defineFields({ users });
const records = definition.for(client, { index: token });
const stored = await records.encryptRow('users', 1, { email: 'x' });
const sealed = await bytesOf((await streams.encryptBlob(client, new Blob(['x']))).stream);
const file = await streams.openFile(client, new Blob([sealed]));
const { publicKey } = intakeKey();
const intake = createIntake({ publicKey });
const halves = [{ rp: 'example.com', passkey: 'AQID', sealed: '' }];
const witnessed = witnessedLog(2);
witnessed.moment();
// Some calls read a whole log, so the auditor uses a separate, short log.
const { audit } = (await observedClient({ retries: 0 })).client;

/** Options that may be undefined. */
const open = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, undefined]));
const progress = { onProgress: () => undefined, total: 1 };
const observing = { onEvent: () => undefined, fetch: service.fetch };
const settings = { ...observing, ...open('keyId cache engines logger timeouts retries insecureHttp') };
const accepted = { column: 'index', bits: 8 } as const;
const rows = open('wrapContext signal');
const proxied = {
  ...observing,
  ...open('insecureHttp basePath origin allowedOrigins allowWithoutOrigin'),
  baseUrl,
  apiKey,
  authorize: () => null,
  timeout: 1,
};
const boundTo = { table: 'x', field: 'y' };

/** Calls of one argument, under names of their own. */
const made = {
  EaasClient: (options: object) => new EaasClient(options),
  cache: (cache: object) => new EaasClient({ ...service, cache }),
  'cache.encrypt': (encrypt: object) => new EaasClient({ ...service, cache: { encrypt } }),
  timeouts: (timeouts: object) => new EaasClient({ ...service, timeouts }),
  engines: (engines: object) => new EaasClient({ ...service, keyId, engines }).encrypt('x'),
  encryptItem: (item: string) => client.encryptMany([item]),
  decryptItem: (item: string) => client.decryptMany([item]),
  boundTo: (boundTo: { table: string; field: string }) => fields.field.text().searchable({ boundTo }),
  table: (table: typeof users) => fields.defineFields({ users: table }),
  keyIds: (keyIds: object) => definition.for(client, { index: token, keyIds }),
};

/** A public function of an object, and arguments with which it succeeds. */
type Row = readonly [object: object, name: string, args: readonly unknown[]];

/** The public functions of the SDK, of functions of one shape a few. */
const calls: readonly Row[] = [
  [made, 'EaasClient', [{ ...settings, baseUrl, apiKey }]],
  [made, 'cache', [open('encrypt decrypt')]],
  [made, 'cache.encrypt', [{ maxMessages: 1, maxBytes: 1, maxAge: 1 }]],
  [made, 'timeouts', [{ total: 1, attempt: 1 }]],
  [made, 'engines', [open('values sync streams')]],
  [{ createBrowserClient }, 'createBrowserClient', [{ ...settings, proxyUrl: baseUrl, headers: {} }]],
  [made, 'encryptItem', [{ value: 'x', context: {} }]],
  [made, 'decryptItem', [{ ...bundle, context: {} }]],
  [client, 'encrypt', ['x', open('keyId context wrapContext scope as fresh signal')]],
  [client, 'encryptMany', [[], open('keyId context wrapContext scope as fresh signal')]],
  [client, 'encryptSync', ['x', open('keyId context wrapContext scope as fresh')]],
  [client, 'decrypt', [bundle, open('keyId anyKey context wrapContext as signal')]],
  [client, 'decryptMany', [[], open('keyId anyKey context wrapContext as signal')]],
  [client, 'decryptSync', [bundle, open('keyId anyKey context wrapContext as')]],
  [client, 'prime', [open('keyId anyKey wrapContext scope ciphertexts encrypt keep signal')]],
  [client, 'hash', ['x', open('keyId signal')]],
  [client, 'wrap', [new Uint8Array(32), open('keyId wrapContext signal')]],
  [client, 'unwrap', [{ ...wrapped }, rows]],
  [client, 'rewrap', [bundle, rows]],
  [client, 'rewrapMany', [[], rows]],
  [client, 'publicKey', [keyId, open('signal')]],
  [client, 'usage', [open('month'), open('signal')]],
  [client.serverMode, 'encrypt', [{ key_id: keyId, plaintext: 'x' }, open('signal')]],
  [client.serverMode, 'decrypt', [{ ...bundle }, open('signal')]],
  [client.keys, 'page', [{ limit: 1, offset: 0, ...open('name status') }, open('signal')]],
  [client.keys, 'list', [open('name status'), { pageSize: 1, ...open('signal') }]],
  [client.keys, 'destroy', [spare, { grace_days: 7 }, open('signal')]],
  [client.apiKeys, 'create', [{ name: 'x', permissions: ['encrypt'] }, open('signal')]],
  [audit, 'list', [open('key_id action date_from'), { pageSize: 10, from: 1, ...open('order signal') }]],
  [audit, 'page', [{ limit: 1, offset: 0, ...open('key_id action date_from') }, open('signal')]],
  [
    audit,
    'verify',
    [
      { from_id: 1, to_id: 2 },
      { onProgress: () => undefined, ...open('signal') },
    ],
  ],
  [audit, 'checkpoint', [open('signal')]],
  [witnessed.audit, 'proof', [{ id: 1 }, open('signal')]],
  [streams, 'encryptStream', [client, { ...open('keyId context wrapContext signal'), ...progress }]],
  [streams, 'decryptBlob', [client, new Blob([sealed]), { ...open('keyId context signal'), ...progress }]],
  [streams, 'openFile', [client, new Blob([sealed]), { fetch, ...open('keyId context headers signal') }]],
  [streams, 'rewrapHead', [client, sealed, rows]],
  [streams, 'ciphertextSize', [1, 100]],
  [streams, 'plaintextSize', [10_000, 100]],
  [file, 'stream', [{ start: 0, end: 1, ...open('signal') }]],
  [fields, 'defineFields', [{ users }]],
  [made, 'table', [users]],
  [made, 'keyIds', [{ users: keyId }]],
  [definition, 'for', [client, { index: token, ...open('keyIds') }]],
  [fields, 'createIndexKey', [client, open('keyId signal')]],
  [fields, 'rewrapIndexKey', [client, token, open('keyId signal')]],
  [fields, 'checkConstraints', [definition, 'users', open('schema table columns notValid')]],
  [fields, 'decryptNested', [records, [stored], { table: 'users', id: () => 1, as: {}, nested: {} }, rows]],
  [fields, 'unencrypted', ['x']],
  [fields, 'plaintext', [() => 'x']],
  [fields, 'withFields', [['name'], { ...accepted, normalize: ['trim'] }]],
  [fields, 'isEncrypted', [bundle.ciphertext]],
  [fields.field, 'text', [open('context previous allowCiphertexts')]],
  [fields.field.text(), 'searchable', [{ ...accepted, normalize: ['trim'], boundTo }]],
  [made, 'boundTo', [boundTo]],
  [fields.field.text(), 'searchableBy', [{ all: fields.part.wholeText() }]],
  [fields.field.number(), 'searchable', [{ ...accepted, boundTo }]],
  [fields.part, 'lastCharacters', [2, { ...accepted, normalize: ['trim'] }]],
  [fields.part, 'steps', [10, { ...accepted }]],
  [records, 'encryptRow', ['users', 1, { email: 'x' }, { ...rows, scope: 'x' }]],
  [records, 'encryptRows', ['users', [{ email: 'x' }], () => 1, { ...rows, scope: 'x' }]],
  [records, 'decryptRow', ['users', 1, { ...stored }, { ...rows, as: {} }]],
  [records, 'decryptRows', ['users', [{ ...stored }], () => 1, { ...rows, as: {}, settled: true }]],
  [records, 'where', ['users', { email: 'x' }, open('signal')]],
  [{ createIntake }, 'createIntake', [{ publicKey }]],
  [intake, 'encrypt', ['x', open('context wrapContext as')]],
  [intake, 'encryptMany', [[], open('context wrapContext as')]],
  [intake, 'wrap', [new Uint8Array(32), rows]],
  [{ createProxy }, 'createProxy', [proxied]],
  [{ openPasskeyHalf }, 'openPasskeyHalf', [{ sealed: halves, subject: 'x', ...open('signal') }]],
];

const cases = calls.map(([object, name, args]) => ({ object, name, args }));
type Case = (typeof cases)[number];

/** A whole argument of a call, or one property of an argument. */
interface Place {
  readonly at: number;
  readonly name?: string;
  readonly usual: unknown;
}

const placesOf = ({ args }: Case): Place[] =>
  args.flatMap((usual, at): Place[] => {
    const members = isPlain(usual) ? Object.entries(usual) : [];
    return [{ at, usual }, ...members.map(([name, of]: [string, unknown]) => ({ at, name, usual: of }))];
  });

/** The arguments of a call with another value in one place. */
const changed = ({ args }: Case, { at, name }: Omit<Place, 'usual'>, value: unknown): unknown[] =>
  args.with(at, name === undefined ? value : { ...(args[at] as object), [name]: value });

test('every public call accepts valid arguments', async () => {
  const refused: string[] = [];
  for (const of of cases) {
    for (const error of await errorsOf(of, of.args)) {
      if (!(error instanceof EaasError) || error.code === 'input') {
        refused.push(`${of.name}: ${String(error)}`);
      }
    }
  }
  expect(refused).toEqual([]);
});

test.each(cases)('with arguments of wrong kinds, $name succeeds or throws EaasError', async (of) => {
  const all = placesOf(of).flatMap((place) => wrong.map((value) => ({ place, value })));
  // Where a function is expected, every function is a correct value.
  const isRight = ({ name, usual }: Place, value: unknown) =>
    name !== undefined && typeof value === 'function' && (typeof usual === 'function' || name === 'fetch');
  const failures: string[] = [];
  for (const { place, value } of some(8, all)) {
    if (isRight(place, value)) continue;
    for (const error of await errorsOf(of, changed(of, place, value))) {
      if (!(error instanceof EaasError)) failures.push(`${inspect([place, value])}: ${String(error)}`);
    }
  }
  expect(failures).toEqual([]);
});

/**
 * Arguments that an error may quote: the names of tables, columns and failures, which are part of the code of the app,
 * and the ids of rows, which are not secret. A FieldError names its row, so that the app can find it.
 */
const quotable: Readonly<Record<string, readonly (number | string)[]>> = {
  encryptRow: [0, 1],
  encryptRows: [0],
  decryptRow: [0, 1, 'as'],
  decryptRows: [0, 'as'],
  where: [0],
  decryptNested: ['table', 'as'],
  checkConstraints: [1],
};

test.each(cases)('no error and no event of $name shows a value that was passed by mistake', async (of) => {
  const isQuotable = ({ at, name, usual }: Place, mistake: unknown): boolean =>
    quotable[of.name]?.includes(name ?? at) === true ||
    name === 'normalize' ||
    // An error shows a number where a number was expected.
    (typeof mistake === 'number' && typeof usual === 'number');
  const all = mistakes.flatMap((mistake) =>
    placesOf(of)
      .filter((place) => !isQuotable(place, mistake))
      .flatMap((place) =>
        [mistake, [mistake], { nested: mistake }].map((value) => ({ place, value, mistake })),
      ),
  );
  const leaks: string[] = [];
  for (const { place, value, mistake } of some(10, all)) {
    events.length = 0;
    const errors = await errorsOf(of, changed(of, place, value));
    const shown = inspect([errors, events], { depth: 9, showHidden: true });
    if (shown.includes(String(mistake))) leaks.push(`${inspect(place)}: ${shown}`);
  }
  expect(leaks).toEqual([]);
});

/** Calls whose last object has names that the app chose. */
const withoutOptions = /^(?:defineFields|table|keyIds|searchableBy)$/;

test.each(cases.filter(({ name, args }) => args.some(isPlain) && !withoutOptions.test(name)))(
  'a misspelt option is refused by $name',
  async (of) => {
    const args = changed(of, { at: of.args.findLastIndex(isPlain), name: 'contxt' }, 1);
    const message = expect.stringContaining('has no option `contxt`') as string;
    const sent = service.requests.length;
    expect(await errorsOf(of, args)).toEqual([expect.objectContaining({ code: 'input', message })]);
    expect(service.requests).toHaveLength(sent);
  },
);

const withKeyId = cases.flatMap((of) => {
  const name = of.object === client.keys || of.object === audit ? 'key_id' : 'keyId';
  const at = of.args.findIndex((given) => isPlain(given) && name in given);
  return at < 0 ? [] : [{ ...of, place: { at, name } }];
});

test.each(withKeyId)('a key id that is not a UUID is refused by $name', async ({ place, ...of }) => {
  const refusal =
    `\`${place.name}\` must be a UUID (got text of 8 characters): ` +
    'pass the `key_id` that `keys.create` returned';
  expect(await errorsOf(of, changed(of, place, 'patients'))).toEqual([new InputError(refusal)]);
});

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

async function errorsOf({ object, name }: Case, args: readonly unknown[]): Promise<unknown[]> {
  try {
    const call = Reflect.get(object, name) as () => unknown;
    const result: unknown = await Reflect.apply(call, object, args);
    const list = Array.isArray(result) ? result : [await outputOf(result)];
    return list.flatMap((item: unknown) => {
      const { ok, error } = Object(item) as { ok?: boolean; error?: unknown };
      return ok === false && error !== undefined ? [error] : [];
    });
  } catch (error) {
    return [error];
  }
}

/** Reads the result if it is a stream or an async generator, because these can throw errors while they are read. */
async function outputOf(result: unknown): Promise<unknown> {
  const { stream, next, readable } = Object(result) as Record<string, unknown>;
  if (result instanceof ReadableStream) return bytesOf(result);
  if (stream instanceof ReadableStream) return bytesOf(stream);
  if (readable instanceof ReadableStream) {
    return bytesOf(new Blob(['x']).stream().pipeThrough(result as TransformStream));
  }
  if (typeof next !== 'function') return result;
  const steps = result as AsyncGenerator;
  await steps.next();
  await steps.return(undefined);
  return undefined;
}
