// The table below stores methods without binding them to objects. No stored method uses `this`.
/* oxlint-disable typescript/unbound-method */
import { createBrowserClient } from '../src/browser/browser.ts';
import * as fields from '../src/fields/fields.ts';
import { EaasClient, type EaasEvent } from '../src/index.ts';
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

/** Every public function of the SDK. The calls share one service in memory. */
export async function publicCalls(onEvent?: (event: EaasEvent) => void): Promise<PublicCall[]> {
  const { client, service, keyId } = observedClient({ retries: 0, onEvent });
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
  const file = await streams.openFile(client, streams.blobSource(new Blob([sealed])));
  // Some calls read a whole log, so the auditor uses a separate, short log.
  const { audit } = observedClient({ retries: 0 }).client;
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
  const spare = (): string => service.createKey(`spare ${names++}`).key_id;
  const spareApiKey = (): string => service.createApiKey({ permissions: ['encrypt'] }).api_key_id;
  const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] };
  const newIssuer = () => ({
    name: 'x',
    issuer: 'https://sign-in.example',
    audience: 'app',
    jwks,
    permissions: ['decrypt' as const],
    key_ids: [keyId],
  });
  const { issuer_id } = await client.issuers.create(newIssuer());
  const admin = { signal };

  const all: [string, PublicCall['call'], PublicCall['args']][] = [
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
      () => [{ ...client.engines }],
    ],
    ['timeouts', (timeouts) => new EaasClient({ ...service, timeouts }), () => [{ total: 1, attempt: 1 }]],
    [
      'createBrowserClient',
      (options) => createBrowserClient(options),
      () => [{ ...connection(), proxyUrl: 'https://app.example/api', headers: {} }],
    ],
    ['encrypt', client.encrypt.bind(client), () => ['x', sealing('bundle')]],
    ['encryptMany', client.encryptMany.bind(client), () => [['x'], sealing('bytes')]],
    ['encryptMany, an item', (item) => client.encryptMany([item]), () => [{ value: 'x', context }]],
    [
      'encryptSync',
      client.encryptSync.bind(client),
      () => ['x', { keyId, context, as: 'bytes', fresh: false }],
    ],
    ['decrypt', client.decrypt.bind(client), () => [bundle, opening('text')]],
    ['decryptMany', client.decryptMany.bind(client), () => [[bundle], opening('bytes')]],
    ['decryptMany, an item', (item) => client.decryptMany([item]), () => [{ ...bundle, context }]],
    ['decryptSync', client.decryptSync.bind(client), () => [ciphertext, { keyId, context, as: 'text' }]],
    [
      'prime',
      client.prime.bind(client),
      () => [{ ...encrypting, keyId, anyKey: false, ciphertexts: [ciphertext], encrypt: true, keep: false }],
    ],
    ['hash', client.hash.bind(client), () => ['x', { keyId, signal }]],
    ['wrap', client.wrap.bind(client), () => [new Uint8Array(32), { keyId, wrapContext: {}, signal }]],
    ['unwrap', client.unwrap.bind(client), () => [{ ...wrapped }, { wrapContext: {}, signal }]],
    ['rewrap', client.rewrap.bind(client), () => [bundle, { wrapContext: {}, signal }]],
    ['rewrapMany', client.rewrapMany.bind(client), () => [[bundle], { wrapContext: {}, signal }]],
    ['publicKey', client.publicKey.bind(client), () => [keyId, admin]],
    ['usage', client.usage.bind(client), () => [{ month: '2026-11' }, admin]],
    ['keys.create', client.keys.create, () => [{ name: `created ${names++}`, intake: true }, admin]],
    ['keys.page', client.keys.page, () => [{ limit: 1, offset: 0, name: 'x', status: 'active' }, admin]],
    [
      'keys.list',
      client.keys.list,
      () => [
        { name: 'x', status: 'active' },
        { pageSize: 1, signal },
      ],
    ],
    ['keys.get', client.keys.get, () => [{ key_id: keyId, limit: 1, offset: 0 }, admin]],
    ['keys.rotate', client.keys.rotate, () => [{ key_id: spare() }, admin]],
    ['keys.disable', client.keys.disable, () => [{ key_id: spare() }, admin]],
    ['keys.enable', client.keys.enable, () => [{ key_id: spare() }, admin]],
    ['keys.destroy', client.keys.destroy, () => [{ key_id: spare(), grace_days: 7 }, admin]],
    ['keys.restore', client.keys.restore, () => [{ key_id: spare() }, admin]],
    [
      'keys.setRotationPolicy',
      client.keys.setRotationPolicy,
      () => [{ key_id: spare(), interval_days: 90 }, admin],
    ],
    ['keys.setMinVersion', client.keys.setMinVersion, () => [{ key_id: spare(), key_version: 1 }, admin]],
    ['keys.export', client.keys.export, () => [{ key_id: spare(), public_key: 'x' }, admin]],
    ['apiKeys.create', client.apiKeys.create, () => [{ name: 'x', permissions: ['encrypt'] }, admin]],
    ['apiKeys.page', client.apiKeys.page, () => [{ limit: 1, offset: 0 }, admin]],
    ['apiKeys.list', client.apiKeys.list, () => [{}, { pageSize: 1, signal }]],
    ['apiKeys.get', client.apiKeys.get, () => [{ api_key_id: spareApiKey() }, admin]],
    ['apiKeys.update', client.apiKeys.update, () => [{ api_key_id: spareApiKey(), name: 'y' }, admin]],
    ['apiKeys.revoke', client.apiKeys.revoke, () => [{ api_key_id: spareApiKey() }, admin]],
    ['issuers.create', client.issuers.create, () => [newIssuer(), admin]],
    ['issuers.page', client.issuers.page, () => [{ limit: 1, offset: 0 }, admin]],
    ['issuers.list', client.issuers.list, () => [{}, { pageSize: 1, signal }]],
    ['issuers.get', client.issuers.get, () => [{ issuer_id }, admin]],
    ['issuers.update', client.issuers.update, () => [{ issuer_id, name: 'y' }, admin]],
    ['issuers.revoke', client.issuers.revoke, () => [{ issuer_id }, admin]],
    ['serverMode.encrypt', client.serverMode.encrypt, () => [{ key_id: keyId, plaintext: 'x' }, admin]],
    ['serverMode.decrypt', client.serverMode.decrypt, () => [{ ...bundle }, admin]],
    ['audit.list', audit.list, () => [auditFilter(), { order: 'oldest', pageSize: 10, from: 1, signal }]],
    ['audit.page', audit.page, () => [{ ...auditFilter(), limit: 1, offset: 0 }, admin]],
    [
      'audit.verify',
      audit.verify,
      () => [
        { from_id: 1, to_id: 2, checkpoint },
        { signal, onProgress: () => undefined },
      ],
    ],
    ['audit.checkpoint', audit.checkpoint, () => [admin]],
    ['audit.proof', witnessed.audit.proof, () => [{ id: 1 }, admin]],

    ['encryptStream', streams.encryptStream, () => [client, streaming()]],
    ['decryptStream', streams.decryptStream, () => [client, { ...openingStream(), ...progress() }]],
    ['encryptBlob', streams.encryptBlob, () => [client, new Blob(['x']), streaming()]],
    [
      'decryptBlob',
      streams.decryptBlob,
      () => [client, new Blob([sealed]), { ...openingStream(), ...progress() }],
    ],
    [
      'openFile',
      streams.openFile,
      () => [
        client,
        { size: sealed.length, read: (start: number, end: number) => sealed.slice(start, end) },
        openingStream(),
      ],
    ],
    ['file.read', file.read, () => [{ start: 0, end: 1, signal }]],
    ['file.stream', file.stream, () => [{ start: 0, end: 1, signal }]],
    ['rewrapHead', streams.rewrapHead, () => [client, sealed, { wrapContext: {}, signal }]],
    ['blobSource', streams.blobSource, () => [new Blob([sealed])]],
    [
      'handleSource',
      streams.handleSource,
      () => [{ stat: async () => ({ size: 1 }), read: async () => ({ bytesRead: 0 }) }],
    ],
    [
      'urlSource',
      streams.urlSource,
      () => ['https://files.example/x', { fetch: notFound, headers: {}, signal }],
    ],
    ['ciphertextSize', streams.ciphertextSize, () => [1, 100]],
    ['plaintextSize', streams.plaintextSize, () => [10_000, 100]],

    ['defineFields', fields.defineFields, () => [{ users: { email: fields.field.text() } }]],
    ['a table', (users) => fields.defineFields({ users }), () => [{ email: fields.field.text() }]],
    ['for', definition.for, () => [client, { index: token, keyIds: { users: keyId } }]],
    ['keyIds', (keyIds) => definition.for(client, { index: token, keyIds }), () => [{ users: keyId }]],
    ['encryptRow', records.encryptRow, () => ['users', 1, { id: 1, email: 'x' }, encrypting]],
    ['encryptRows', records.encryptRows, () => ['users', [{ id: 1, email: 'x' }], () => 1, encrypting]],
    ['decryptRow', records.decryptRow, () => ['users', 1, { ...stored }, { ...rows, as: {} }]],
    [
      'decryptRows',
      records.decryptRows,
      () => ['users', [{ ...stored }], () => 1, { ...rows, as: {}, settled: true }],
    ],
    ['where', records.where, () => ['users', { email: 'x' }, { signal }]],
    [
      'fillPage',
      fields.fillPage,
      () => [{ size: 1, after: 1, most: 1, read: async () => [], keep: () => [], cursorOf: () => 1 }],
    ],
    [
      'decryptNested',
      fields.decryptNested,
      () => [records, [stored], { table: 'users', id: () => 1, as: {}, nested: {} }, rows],
    ],
    [
      'checkConstraints',
      fields.checkConstraints,
      () => [definition, 'users', { schema: 'x', table: 'y', columns: {}, notValid: true }],
    ],
    ['describeFields', fields.describeFields, () => [definition, 'users']],
    ['holdsCiphertext', fields.holdsCiphertext, () => [ciphertext]],
    ['createIndexKey', fields.createIndexKey, () => [client, { keyId, signal }]],
    ['rewrapIndexKey', fields.rewrapIndexKey, () => [client, token, { keyId, signal }]],
    ...Object.entries(fields.field).map(([type, define]): (typeof all)[number] => [
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
      () => [{ all: fields.wholeText() }],
    ],
    ['unencrypted', fields.unencrypted, () => ['x']],
    ['plaintext', fields.plaintext, () => [() => 'x']],
    ['wholeText', fields.wholeText, () => [{ ...accepted, normalize: ['trim'] }]],
    ['words', fields.words, () => [{ ...accepted, normalize: ['trim'] }]],
    ['firstCharacters', fields.firstCharacters, () => [2, { ...accepted, normalize: ['trim'] }]],
    ['lastCharacters', fields.lastCharacters, () => [2, { ...accepted, normalize: ['trim'] }]],
    ['prefixes', fields.prefixes, () => [2, 3, { ...accepted, normalize: ['trim'] }]],
    ['years', fields.years, () => [{ ...accepted }]],
    ['months', fields.months, () => [{ ...accepted }]],
    ['days', fields.days, () => [{ ...accepted }]],
    ['steps', fields.steps, () => [10, { ...accepted }]],
    ['withFields', fields.withFields, () => [['name'], { ...accepted, normalize: ['trim'] }]],

    ['isEncrypted', fields.isEncrypted, () => [ciphertext]],

    ['createIntake', createIntake, () => [{ publicKey }]],
    ['intake.encrypt', intake.encrypt, () => ['x', { context, wrapContext: {}, as: 'bytes' }]],
    ['intake.encryptMany', intake.encryptMany, () => [['x'], { context, wrapContext: {}, as: 'bytes' }]],
    ['intake.encryptMany, an item', (item) => intake.encryptMany([item]), () => [{ value: 'x', context }]],
    [
      'intake.wrap',
      intake.wrap,
      () => [new Uint8Array(32), { wrapContext: {}, keyId: intake.keyId, signal }],
    ],

    ['createPasskeyHalf', passkeys.createPasskeyHalf, () => [{ ...enrolling(), recovery: { publicKey } }]],
    ['openPasskeyHalf', passkeys.openPasskeyHalf, () => [{ sealed: sealedHalves, subject: 'x', signal }]],
    ['addPasskey', passkeys.addPasskey, () => [{ ...enrolling(), sealed: sealedHalves }]],
    [
      'recoverPasskeyHalf',
      passkeys.recoverPasskeyHalf,
      () => [{ ...enrolling(), client, recovery: ciphertext, proof: { ciphertext, context } }],
    ],

    ['createProxy', createProxy, () => [proxy()]],
    ['toNodeHandler', toNodeHandler, () => [createProxy(proxy())]],
    ['nodeRequestOf', nodeRequestOf, () => [new Request('https://app.example')]],
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

const notFound = async (): Promise<Response> => new Response(null, { status: 404 });
