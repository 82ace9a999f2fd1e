// The table below stores methods without binding them to objects. No stored method uses `this`.
/* oxlint-disable typescript/unbound-method */
import { createBrowserClient } from '../src/browser/browser.ts';
import * as fields from '../src/fields/fields.ts';
import { EaasClient, type EaasEvent } from '../src/index.ts';
import { inside } from '../src/client/inside.ts';
import { createIntake } from '../src/intake/intake.ts';
import * as passkeys from '../src/passkey/passkey.ts';
import { createProxy, nodeRequestOf, toNodeHandler } from '../src/proxy/proxy.ts';
import * as streams from '../src/stream/stream.ts';
import { intakeKey } from '@eaas/test-kit/intake-key';
import { bytesOf, observedClient } from './observed-client.ts';
import { witnessedLog } from '@eaas/test-kit/witnessed-log';

/** A public function of the SDK, and arguments with which it succeeds. */
export interface PublicCall {
  readonly name: string;
  readonly call: (...args: never[]) => unknown;
  readonly args: () => readonly unknown[];
}

type Row = [string, PublicCall['call'], PublicCall['args']];

const callsOf = (object: object, calls: Readonly<Record<string, PublicCall['args']>>, prefix = ''): Row[] =>
  Object.entries(calls).map(([name, args]) => {
    const call = Reflect.get(object, name) as PublicCall['call'];
    return [prefix + name, call.bind(object), args];
  });

/** The public functions of the SDK, of functions of one shape a few. The calls share one service in memory. */
export async function publicCalls(onEvent?: (event: EaasEvent) => void): Promise<PublicCall[]> {
  const { client, service, keyId } = await observedClient({ retries: 0, onEvent });
  const { signal } = new AbortController();
  const context = { row: '1' };
  const bundle = await client.encrypt('x', { context });
  const { ciphertext } = bundle;
  const wrapped = await client.wrap(new Uint8Array(32));
  const token = await fields.createIndexKey(client);
  const { publicKey } = intakeKey();
  const intake = createIntake({ publicKey });
  await client.prime({ encrypt: true, ciphertexts: [ciphertext] });
  const sealed = await bytesOf((await streams.encryptBlob(client, new Blob(['x']))).stream);
  const file = await streams.openFile(client, new Blob([sealed]));
  // Some calls read a whole log, so the auditor uses a separate, short log.
  const { audit } = (await observedClient({ retries: 0 })).client;
  const { checkpoint } = await audit.checkpoint();
  const witnessed = witnessedLog(2);
  witnessed.moment();
  const definition = fields.defineFields({
    users: {
      ...fields.unencrypted('id'),
      email: fields.field.text({ context: 'field' }).searchable(),
      name: fields.field.text(),
    },
  });
  const records = definition.for(client, { index: token });
  const stored = await records.encryptRow('users', 1, { id: 1, email: 'ada@example.com', name: 'Ada' });
  const accepted = { column: 'index', bits: 8 } as const;
  const rows = { wrapContext: {}, signal };
  const encrypting = { ...rows, scope: 'x' };
  const proxy = () => ({
    baseUrl: service.baseUrl,
    apiKey: service.apiKey,
    insecureHttp: false,
    authorize: () => null,
    basePath: '/api/eaas',
    origin: 'https://app.example',
    allowedOrigins: ['https://other.example'],
    allowWithoutOrigin: true,
    timeout: 1_000,
    fetch: service.fetch,
    onEvent: () => undefined,
  });
  const connection = () => ({
    keyId,
    cache: {},
    engines: {},
    onEvent: () => undefined,
    logger: { debug: () => undefined, warn: () => undefined },
    fetch: service.fetch,
    timeouts: {},
    retries: 0,
    insecureHttp: false,
  });
  const sealedHalves = [{ rp: 'example.com', passkey: 'AQID', sealed: '' }];
  let names = 0;
  const { key_id: spare } = await service.createKey('spare');
  const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] };
  const newIssuer = () => ({
    name: 'x',
    issuer: 'https://sign-in.example',
    audience: 'app',
    jwks,
    permissions: ['decrypt' as const],
    key_ids: [keyId],
  });
  const admin = { signal };

  const all: Row[] = [
    [
      'new EaasClient',
      (options) => new EaasClient(options),
      () => [{ ...connection(), baseUrl: service.baseUrl, apiKey: service.apiKey }],
    ],
    ['cache', (cache) => new EaasClient({ ...service, cache }), () => [{ encrypt: {}, decrypt: {} }]],
    [
      'cache.encrypt',
      (encrypt) => new EaasClient({ ...service, cache: { encrypt } }),
      () => [{ maxMessages: 1, maxBytes: 1, maxAge: 1 }],
    ],
    [
      'cache.decrypt',
      (decrypt) => new EaasClient({ ...service, cache: { decrypt } }),
      () => [{ maxEntries: 1, maxAge: 1 }],
    ],
    [
      'engines',
      (engines) => new EaasClient({ ...service, keyId, engines }).encrypt('x'),
      () => [{ ...client[inside].engines }],
    ],
    ['timeouts', (timeouts) => new EaasClient({ ...service, timeouts }), () => [{ total: 1, attempt: 1 }]],
    [
      'createBrowserClient',
      (options) => createBrowserClient(options),
      () => [{ ...connection(), proxyUrl: 'https://app.example/api', headers: {} }],
    ],
    ['encryptMany, an item', (item) => client.encryptMany([item]), () => [{ value: 'x', context }]],
    ['decryptMany, an item', (item) => client.decryptMany([item]), () => [{ ...bundle, context }]],
    ['serverMode.encrypt', client.serverMode.encrypt, () => [{ key_id: keyId, plaintext: 'x' }, admin]],
    ['serverMode.decrypt', client.serverMode.decrypt, () => [{ ...bundle }, admin]],
    ['audit.proof', witnessed.audit.proof, () => [{ id: 1 }, admin]],
    ['file.read', file.read, () => [{ start: 0, end: 1, signal }]],
    ['file.stream', file.stream, () => [{ start: 0, end: 1, signal }]],
    ['a table', (users) => fields.defineFields({ users }), () => [{ email: fields.field.text() }]],
    ['for', definition.for, () => [client, { index: token, keyIds: { users: keyId } }]],
    ['keyIds', (keyIds) => definition.for(client, { index: token, keyIds }), () => [{ users: keyId }]],
    ...Object.entries(fields.field).map(([type, define]): Row => [
      type,
      define,
      () => [{ context: 'field', previous: fields.plaintext(), allowCiphertexts: true }],
    ]),
    [
      'text.searchable',
      fields.field.text().searchable,
      () => [{ normalize: ['trim'], column: 'x', bits: 8, boundTo: { table: 'x', field: 'y' } }],
    ],
    [
      'number.searchable',
      fields.field.number().searchable,
      () => [{ ...accepted, boundTo: { table: 'x', field: 'y' } }],
    ],
    [
      'searchableBy',
      (parts) =>
        fields.defineFields({
          users: { lowEntropy: 'accepted', email: fields.field.text().searchableBy(parts) },
        }),
      () => [{ all: fields.part.wholeText() }],
    ],
    ['createIntake', createIntake, () => [{ publicKey }]],
    ['intake.encryptMany, an item', (item) => intake.encryptMany([item]), () => [{ value: 'x', context }]],
    ['createProxy', createProxy, () => [proxy()]],
    ['toNodeHandler', toNodeHandler, () => [createProxy(proxy())]],
    ['nodeRequestOf', nodeRequestOf, () => [new Request('https://app.example')]],
    ...callsOf(client, {
      encrypt: () => ['x', sealing('bundle')],
      encryptMany: () => [['x'], sealing('bytes')],
      encryptSync: () => ['x', { keyId, context, as: 'bytes', fresh: false }],
      decrypt: () => [bundle, opening('text')],
      decryptMany: () => [[bundle], opening('bytes')],
      decryptSync: () => [ciphertext, { keyId, context, as: 'text' }],
      prime: () => [
        { ...encrypting, keyId, anyKey: false, ciphertexts: [ciphertext], encrypt: true, keep: false },
      ],
      hash: () => ['x', { keyId, signal }],
      wrap: () => [new Uint8Array(32), { keyId, wrapContext: {}, signal }],
      unwrap: () => [{ ...wrapped }, { wrapContext: {}, signal }],
      rewrap: () => [bundle, { wrapContext: {}, signal }],
      rewrapMany: () => [[bundle], { wrapContext: {}, signal }],
      publicKey: () => [keyId, admin],
      usage: () => [{ month: '2026-11' }, admin],
    }),
    ...callsOf(
      client.keys,
      {
        create: () => [{ name: `created ${names++}`, intake: true }, admin],
        page: () => [{ limit: 1, offset: 0, name: 'x', status: 'active' }, admin],
        list: () => [
          { name: 'x', status: 'active' },
          { pageSize: 1, signal },
        ],
        destroy: () => [{ key_id: spare, grace_days: 7 }, admin],
        setRotationPolicy: () => [{ key_id: spare, interval_days: 90 }, admin],
      },
      'keys.',
    ),
    ...callsOf(
      client.apiKeys,
      {
        create: () => [{ name: 'x', permissions: ['encrypt'] }, admin],
        list: () => [{}, { pageSize: 1, signal }],
      },
      'apiKeys.',
    ),
    ...callsOf(
      client.issuers,
      {
        create: () => [newIssuer(), admin],
        list: () => [{}, { pageSize: 1, signal }],
      },
      'issuers.',
    ),
    ...callsOf(
      audit,
      {
        list: () => [auditFilter(), { order: 'oldest', pageSize: 10, from: 1, signal }],
        page: () => [{ ...auditFilter(), limit: 1, offset: 0 }, admin],
        verify: () => [
          { from_id: 1, to_id: 2, checkpoint },
          { signal, onProgress: () => undefined },
        ],
        checkpoint: () => [admin],
      },
      'audit.',
    ),
    ...callsOf(streams, {
      encryptStream: () => [client, streaming()],
      decryptStream: () => [client, { ...openingStream(), ...progress() }],
      encryptBlob: () => [client, new Blob(['x']), streaming()],
      decryptBlob: () => [client, new Blob([sealed]), { ...openingStream(), ...progress() }],
      openFile: () => [
        client,
        { size: sealed.length, read: (start: number, end: number) => sealed.slice(start, end) },
        { ...openingStream(), fetch, headers: {} },
      ],
      rewrapHead: () => [client, sealed, { wrapContext: {}, signal }],
      ciphertextSize: () => [1, 100],
      plaintextSize: () => [10_000, 100],
    }),
    ...callsOf(fields, {
      defineFields: () => [{ users: { email: fields.field.text() } }],
      decryptNested: () => [records, [stored], { table: 'users', id: () => 1, as: {}, nested: {} }, rows],
      checkConstraints: () => [definition, 'users', { schema: 'x', table: 'y', columns: {}, notValid: true }],
      createIndexKey: () => [client, { keyId, signal }],
      rewrapIndexKey: () => [client, token, { keyId, signal }],
      unencrypted: () => ['x'],
      plaintext: () => [() => 'x'],
      withFields: () => [['name'], { ...accepted, normalize: ['trim'] }],
      isEncrypted: () => [ciphertext],
    }),
    ...callsOf(
      fields.part,
      {
        words: () => [{ ...accepted, normalize: ['trim'] }],
        lastCharacters: () => [2, { ...accepted, normalize: ['trim'] }],
        days: () => [{ ...accepted }],
        steps: () => [10, { ...accepted }],
      },
      'part.',
    ),
    ...callsOf(records, {
      encryptRow: () => ['users', 1, { id: 1, email: 'x' }, encrypting],
      encryptRows: () => ['users', [{ id: 1, email: 'x' }], () => 1, encrypting],
      decryptRow: () => ['users', 1, { ...stored }, { ...rows, as: {} }],
      decryptRows: () => ['users', [{ ...stored }], () => 1, { ...rows, as: {}, settled: true }],
      where: () => ['users', { email: 'x' }, { signal }],
    }),
    ...callsOf(
      intake,
      {
        encrypt: () => ['x', { context, wrapContext: {}, as: 'bytes' }],
        encryptMany: () => [['x'], { context, wrapContext: {}, as: 'bytes' }],
        wrap: () => [new Uint8Array(32), { wrapContext: {}, keyId: intake.keyId, signal }],
      },
      'intake.',
    ),
    ...callsOf(passkeys, {
      createPasskeyHalf: () => [{ ...enrolling(), recovery: { publicKey } }],
      openPasskeyHalf: () => [{ sealed: sealedHalves, subject: 'x', signal }],
      addPasskeyHalf: () => [{ ...enrolling(), sealed: sealedHalves }],
      recoverPasskeyHalf: () => [
        { ...enrolling(), client, recovery: ciphertext, proof: { ciphertext, context } },
      ],
    }),
  ];
  return all.map(([name, call, args]) => ({ name, call, args }));

  function sealing(as: string) {
    return { ...encrypting, keyId, context, fresh: false, as };
  }
  function opening(as: string) {
    return { wrapContext: undefined, signal, keyId: [keyId], anyKey: false, context, as };
  }
  function enrolling() {
    const [rp, user] = [{ id: 'example.com', name: 'x' }, { name: 'Ada' }];
    return { rp, user, subject: 'x', passkeys: ['AQID'], exclude: [], signal };
  }
  function streaming() {
    return { keyId, wrapContext: {}, signal, context: {}, ...progress() };
  }
  function openingStream() {
    return { keyId, anyKey: false, wrapContext: {}, context: {}, signal };
  }
  function progress() {
    return { onProgress: () => undefined, total: 1 };
  }
  function auditFilter() {
    return {
      key_id: keyId,
      action: 'key.wrap',
      date_from: '2020-01-01T00:00:00Z',
      date_to: '2120-01-01T00:00:00Z',
    };
  }
}
