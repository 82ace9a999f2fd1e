import crypto from 'node:crypto';
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { InputError } from '@eaas/protocol';
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { toBase64 } from '@eaas/protocol/internal-base64';
import { EaasClient } from '@eaas/sdk';
import { forIntake, keys, naming } from '@eaas/service';
import { afterEach, beforeEach, describe, expect, type MockInstance, onTestFinished, test, vi } from 'vitest';
import { ask as call } from '../test/ask.ts';
import { createLocalService, type LocalService } from './index.ts';
import { lockKeyFile } from './internal.ts';
import {
  formatKeyFile,
  type KeyFile,
  newKeyFile,
  openKeyFile,
  relockedKeyFile,
  sealedVersions,
} from './key-file-format.ts';
import { openerOfEnvironment } from './file-opener.ts';
import type { Opener } from './opener.ts';

let file: string;
let warnings: MockInstance<typeof process.emitWarning>;
const { scryptSync } = crypto;
beforeEach(() => {
  // Cheap: at its full cost, each call takes half a second.
  vi.spyOn(crypto, 'scryptSync').mockImplementation((passphrase, salt, length, options) =>
    scryptSync(passphrase, salt, length, { ...options, N: 16 }),
  );
  syncBuiltinESMExports();
  const folder = mkdtempSync(join(tmpdir(), 'eaas-key-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, '.eaas', 'local.json');
  warnings = vi.spyOn(process, 'emitWarning').mockReturnValue();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  vi.useRealTimers();
});

const open = () => createLocalService({ file });
const dek = Buffer.alloc(32, 7).toString('base64');

const ask = (service: LocalService, route: string, body?: object) =>
  call(service, route.replace(' ', ' /v1/keys'), body);

const errorOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

const stored = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown> & { keys: object[] };
const edit = (change: (text: string) => string) => writeFileSync(file, change(readFileSync(file, 'utf8')));

describe('a key file', () => {
  test('is made with its folder on first use, and only its owner can read it', () => {
    open();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(dirname(file), '.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(dirname(file)).toSorted()).toEqual(['.gitignore', 'local.json']);
  });

  test('does not change the `.gitignore` of a folder that exists', () => {
    mkdirSync(dirname(file));
    open();
    expect(readdirSync(dirname(file))).toEqual(['local.json']);
  });

  test('keeps keys, versions and fingerprints for the next process', async () => {
    const [first, contact] = [open(), await open().createKey('contact', { intake: true })];
    const key = `/${first.keyId}`;
    const { wrapped_key } = await ask(first, `POST ${key}/wrap`, { dek, context: { row: '1' } });
    await ask(first, `POST ${key}/rotate`);
    const hash = await ask(first, `GET ${key}/public-key`);
    const { intake_public_key } = await ask(first, `GET /${contact.key_id}/public-key`);
    const secret = new Uint8Array(32).fill(9);
    const { wrappedKey } = await wrapForIntake(parsePublicKey(String(intake_public_key)), secret);

    const second = open();
    expect([second.keyId, second.tenantId]).toEqual([first.keyId, first.tenantId]);
    const opened = await ask(second, `POST ${key}/unwrap`, { wrapped_key, context: { row: '1' } });
    expect(opened).toMatchObject({ dek, key_version: 1 });
    expect(await ask(second, `POST ${key}/unwrap`, { wrapped_key })).toMatchObject({ status: 403 });
    expect(await ask(second, `POST ${key}/wrap`, { dek })).toMatchObject({ key_version: 2 });
    expect(await ask(second, `GET ${key}/public-key`)).toEqual(hash);
    const intake = { wrapped_key: toBase64(wrappedKey) };
    expect(await ask(second, `POST /${contact.key_id}/unwrap`, intake)).toMatchObject({
      dek: toBase64(secret),
    });
  });

  test('shows a change by another process to the next call', async () => {
    const [one, other] = [open(), open()];
    const key = `/${one.keyId}`;
    await ask(other, `POST ${key}/rotate`);
    expect(await ask(one, `POST ${key}/wrap`, { dek })).toMatchObject({ key_version: 2 });
    const { key_id } = await other.createKey('customers');
    expect(await one.createKey('customers')).toMatchObject({ key_id });
    expect(await ask(one, `POST /${key_id}/wrap`, { dek })).toMatchObject({ key_version: 1 });
  });

  test('does not change with a call that changes nothing', async () => {
    const service = open();
    const before = statSync(file).ino;
    await ask(service, `POST /${service.keyId}/enable`);
    await ask(service, `PUT /${service.keyId}/rotation-policy`, { interval_days: null });
    await ask(service, 'POST ', { name: 'default' });
    open();
    expect(statSync(file).ino).toBe(before);
  });

  test('has each column of a key, but those of the log', () => {
    open();
    const ofLog = new Set(['tenant_id', 'sealed_hash_key', 'created_id', 'rev']);
    const ofPlugins = [naming.column, forIntake.column, 'hash_key', 'versions'];
    const columns = [...keys.columns.filter((column) => !ofLog.has(column)), ...ofPlugins];
    expect(Object.keys(stored().keys[0] ?? {}).toSorted()).toEqual(columns.toSorted());
  });

  test('has no material of a destroyed key', async () => {
    const service = open();
    const { key_id } = await service.createKey('old');
    await ask(service, `POST /${key_id}/disable`);
    await ask(service, `DELETE /${key_id}?grace_days=0`);
    const erased = { key_id, status: 'destroyed', hash_key: null, versions: [{ sealed: null }] };
    expect(stored().keys[1]).toMatchObject(erased);
    expect(await ask(open(), `GET /${key_id}`)).toMatchObject({ status: 'destroyed' });
  });

  test('gets another key `default` at the next start if that key was destroyed', async () => {
    const service = open();
    const { keyId } = service;
    await ask(service, `POST /${keyId}/disable`);
    await ask(service, `DELETE /${keyId}?grace_days=0`);
    const next = open();
    expect(next.keyId).not.toBe(keyId);
    expect(open().keyId).toBe(next.keyId);
    expect(await ask(next, `POST /${next.keyId}/wrap`, { dek })).toMatchObject({ key_version: 1 });
  });

  test('is replaced where a link points to', async () => {
    open();
    const link = join(dirname(file), 'link.json');
    symlinkSync(file, link);
    await createLocalService({ file: link }).createKey('customers');
    expect(stored().keys).toHaveLength(2);
  });

  test.each([
    ['a left temporary file', () => writeFileSync(`${file}.new`, 'half of a ')],
    ['a left `.gitignore`', () => writeFileSync(join(dirname(file), '.gitignore'), '')],
  ])('changes in spite of %s', async (_, leave) => {
    const service = open();
    leave();
    await service.createKey('customers');
    expect(existsSync(`${file}.new`)).toBe(false);
    expect(stored().keys).toHaveLength(2);
  });
});

describe('a key file as the page shows it', () => {
  /** What the page shows, with the values of a file in place of its words for them. */
  function filled(shown: unknown, found: unknown): unknown {
    if (Array.isArray(shown)) return shown.map((one, at) => filled(one, (found as unknown[])[at]));
    if (Object(shown) !== shown) return found;
    const members = Object.entries(shown as object);
    return Object.fromEntries(
      members.map(([name, one]) => [name, filled(one, Reflect.get(found as object, name))]),
    );
  }

  test('opens', async () => {
    vi.stubEnv('EAAS_LOCAL_PASSPHRASE', 'a passphrase');
    const service = open();
    const { wrapped_key } = await ask(service, `POST /${service.keyId}/wrap`, { dek, subject: '42' });
    const page = readFileSync(new URL('../docs/key-file.md', import.meta.url), 'utf8');
    const shown = JSON.parse(/```json\n(.*?)\n```/s.exec(page)?.[1] ?? '') as ReturnType<typeof stored>;
    expect([shown, shown.keys[0] ?? {}].map(Object.keys)).toEqual(
      [stored(), stored().keys[0] ?? {}].map(Object.keys),
    );
    expect(shown['version']).toBe(stored()['version']);
    const [inFile, inVariable] =
      /`version` is (\d+) in a file, and (\d+) in a variable/.exec(page)?.slice(1) ?? [];
    expect([[Number(inFile)], [Number(inVariable)]]).toEqual([[shown['version']], sealedVersions]);
    writeFileSync(file, JSON.stringify(filled(shown, stored())));
    const opened = open();
    expect(await ask(opened, `POST /${opened.keyId}/unwrap`, { wrapped_key, subject: '42' })).toMatchObject({
      dek,
    });
  });
});

test('a key file of version 2 opens, and becomes one of version 3 with the next change', async () => {
  vi.spyOn(crypto, 'scryptSync').mockImplementation(scryptSync);
  syncBuiltinESMExports();
  vi.stubEnv('EAAS_LOCAL_PASSPHRASE', 'a passphrase');
  mkdirSync(dirname(file), { mode: 0o700 });
  writeFileSync(file, readFileSync(new URL('../test/kept/key-file-2.json', import.meta.url)), {
    mode: 0o600,
  });
  const read = async () => {
    const eaas = new EaasClient({ service: open() });
    const context = { row: '1' };
    expect(await eaas.decrypt(ofVersion2.value, { as: 'text', context })).toBe(
      'stored by an earlier version',
    );
    const subject = 'person 1';
    expect(await eaas.decrypt(ofVersion2.person, { as: 'text', context, subject })).toBe('of a person');
  };
  await read();
  await open().createKey('customers');
  expect(stored()['version']).toBe(3);
  await read();
});

/** What the program encrypted that made the file of version 2. */
const ofVersion2 = {
  value:
    'eaasAUlSUFvgikjmkc8GGvjDbI4AAAABAE4BAQAAAAFoj6fyXVdGE3m+K/s5xdLlV0rog8qNmuq9ifnyxMT2LlcP9VCgJfN3b1Sbget4' +
    '/2PVTCzR75RSDlnmBruSm/4kD55NcpaY+Zhw5KR10qpZFVdWsx6TO96ZLGlMvYOIDIYPZE5SI94T8iD7USsYeTajBM4Ykt7K88foARaO' +
    'ANVBG32IFxJB9wRWp3p+dunRUps2VbFL4dKvE7QZXpANBnxd',
  person:
    'eaasAUlSUFvgikjmkc8GGvjDbI4AAAACAE4BAgAAAAL0Jd/OKV0fZfAEYLF+rQG8BL5z2MpXA45ou2B/FmqaMgPHr9fdAqzwSvVll2cK' +
    'B9zjtZHiBR8AOFRhjUkLmhpvzTlRzbtnzmXi5jPn3m+VydXLvS5ae7bcifffFKdwBNFO2S7L9+p85FSICyQVk3cWhPwN6Tn/KvuDpcWu' +
    'Hs4KIyRDiRdYrH/qMkFITBub7w==',
};

describe('a key file that is missing', () => {
  const existing = () => createLocalService({ file, create: false });

  test('is made with a warning that names it, in production and once', () => {
    open();
    expect(warnings).not.toHaveBeenCalled();
    rmSync(file);
    vi.stubEnv('NODE_ENV', 'production');
    open();
    open();
    expect(warnings.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^made the key file .*: copy it to a safe place, and pass `create: false`.*restore that one/,
        ) as string,
        { type: 'EaasWarning', code: 'EAAS_KEY_FILE_MADE' },
      ],
    ]);
    expect(warnings.mock.calls[0]?.[0]).toContain(file);
  });

  test('is refused with `create: false`, which leaves no folder', () => {
    const error = errorOf(existing);
    expect(error).toBeInstanceOf(InputError);
    expect(String(error)).toContain(`there is no key file ${file}: restore it from your copy`);
    expect(existsSync(dirname(file))).toBe(false);
    const { keyId } = open();
    expect(existing().keyId).toBe(keyId);
  });
});

describe('a key file that is locked anew', () => {
  const lock = (current: string | undefined, next: string) => {
    vi.stubEnv('EAAS_LOCAL_PASSPHRASE', current).stubEnv('EAAS_LOCAL_NEW_PASSPHRASE', next);
    return lockKeyFile(file);
  };
  const withPassphrase = (passphrase: string | undefined) => {
    vi.stubEnv('EAAS_LOCAL_PASSPHRASE', passphrase);
    return open();
  };

  test('opens with the new passphrase only, and its copies with their own', async () => {
    const first = open();
    const subject = '42';
    const { wrapped_key } = await ask(first, `POST /${first.keyId}/wrap`, { dek, subject });
    const unlocked = readFileSync(file, 'utf8');
    const tenant = { tenantId: first.tenantId };
    expect(await lock(undefined, 'first')).toEqual({ ...tenant, before: 'none', after: 'passphrase' });
    expect(open).toThrow(`the key file ${file} is locked: set EAAS_LOCAL_PASSPHRASE`);
    const copy = readFileSync(file, 'utf8');
    expect(await lock('first', 'second')).toEqual({ ...tenant, before: 'passphrase', after: 'passphrase' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(() => withPassphrase('first')).toThrow('does not open');
    const last = withPassphrase('second');
    const opened = await ask(last, `POST /${last.keyId}/unwrap`, { wrapped_key, subject });
    expect(opened).toMatchObject({ dek });
    writeFileSync(file, copy);
    expect(withPassphrase('first').keyId).toBe(first.keyId);
    writeFileSync(file, unlocked);
    expect(withPassphrase(undefined).keyId).toBe(first.keyId);
  });

  test('seals nothing under what its old copies hold', async () => {
    open();
    const old = openKeyFile(file, readFileSync(file, 'utf8'), openerOfEnvironment());
    const before = stored();
    await lock(undefined, 'passphrase');
    const after = stored();
    const sealed = (file: typeof before) => [
      ...JSON.stringify(file.keys).matchAll(/"(?:hash_key|sealed)":"(.+?)"/g),
    ];
    expect(sealed(before)).toHaveLength(2);
    for (const [i, [text]] of sealed(before).entries()) expect(sealed(after)[i]?.[0]).not.toBe(text);
    const known = { sealedSecret: String(after['tenant_secret']), secret: old.secret };
    expect(() => openKeyFile(file, readFileSync(file, 'utf8'), openerOfEnvironment(), known)).toThrow(
      'was cut, damaged or edited',
    );
  });

  test('is refused by a service that runs, until it starts again', async () => {
    const running = open();
    await lock(undefined, 'passphrase');
    for (let call = 1; call <= 2; call++) {
      const refused = await ask(running, `POST /${running.keyId}/wrap`, { dek });
      expect(refused).toMatchObject({ status: 503, code: 'unavailable' });
      expect(refused['detail']).toMatch(/was locked anew.*: restart this process/);
    }
    const restarted = withPassphrase('passphrase');
    expect(await ask(restarted, `POST /${running.keyId}/wrap`, { dek })).toMatchObject({ key_version: 1 });
  });

  test.each([
    ['a wrong passphrase', 'wrong', 'new', 'does not open: set EAAS_LOCAL_PASSPHRASE to its passphrase'],
    ['an empty new passphrase', 'right', '', 'the passphrase of a key file must not be empty'],
  ])('stays as it is after %s', async (_, current, next, message) => {
    withPassphrase('right');
    const before = readFileSync(file, 'utf8');
    const error = await lock(current, next).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect(String(error)).toContain(message);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(dirname(file)).toSorted()).toEqual(['.gitignore', 'local.json']);
  });

  test('takes its new lock from variables, and one of them only', async () => {
    open();
    vi.stubEnv('EAAS_LOCAL_NEW_PASSPHRASE', 'from a variable');
    await lockKeyFile(file);
    vi.stubEnv('EAAS_LOCAL_PASSPHRASE', 'from a variable');
    expect(open().keyId).toMatch(/^[\da-f-]{36}$/);
    vi.stubEnv('EAAS_LOCAL_NEW_KEY_COMMAND', '/bin/true');
    await expect(lockKeyFile(file)).rejects.toThrow(
      'set either EAAS_LOCAL_NEW_PASSPHRASE or EAAS_LOCAL_NEW_KEY_COMMAND',
    );
  });

  test('stays as it is if it belongs to another user, who could not open it afterwards', async () => {
    open();
    const before = readFileSync(file, 'utf8');
    vi.spyOn(process, 'getuid').mockReturnValue(statSync(file).uid + 1);
    await expect(lock(undefined, 'x')).rejects.toThrow(`${file} belongs to another user: run the command as`);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('that does not exist makes neither a file nor a folder', async () => {
    await expect(lock(undefined, 'x')).rejects.toThrow(`${file} cannot be read (ENOENT)`);
    expect(existsSync(dirname(file))).toBe(false);
  });
});

describe('a subject in a key file', () => {
  const id = /^[\da-f]{64}$/;
  const subjectsIn = () => (stored() as unknown as { subjects: Record<string, unknown>[] }).subjects;

  const wrap = (service: LocalService, subject: string) =>
    ask(service, `POST /${service.keyId}/wrap`, { dek, subject });
  const unwrap = (service: LocalService, wrapped_key: unknown, subject?: string) =>
    ask(service, `POST /${service.keyId}/unwrap`, { wrapped_key, subject });

  test('is written by its first wrap, and opens after a restart, with its name only', async () => {
    const service = open();
    const { wrapped_key } = await wrap(service, 'patient 42');
    expect(subjectsIn()).toMatchObject([
      { subject_id: expect.stringMatching(id) as string, erased_at: null },
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain('patient 42');
    const { ino } = statSync(file);
    const restarted = open();
    expect(await unwrap(restarted, wrapped_key, 'patient 42')).toMatchObject({ dek });
    expect(await unwrap(restarted, wrapped_key)).toMatchObject({ status: 403 });
    expect(await unwrap(restarted, wrapped_key, 'patient 43')).toMatchObject({ status: 403 });
    await wrap(restarted, 'patient 42');
    expect(statSync(file).ino).toBe(ino);
  });

  test('is erased for all processes, for ever, and the file has no secret of it', async () => {
    const [one, other] = [open(), open()];
    const { wrapped_key } = await wrap(one, '42');
    expect(await unwrap(other, wrapped_key, '42')).toMatchObject({ dek });
    const erased = await call(other, 'POST /v1/subjects/erase', { subject: '42' });
    expect(erased).toMatchObject({ subject_id: expect.stringMatching(id) as string });
    expect(subjectsIn()).toMatchObject([
      { sealed: null, erased_at: Date.parse(String(erased['erased_at'])) },
    ]);
    for (const service of [one, other, open()]) {
      expect(await unwrap(service, wrapped_key, '42')).toMatchObject({ status: 409, code: 'subject_erased' });
      expect(await wrap(service, '42')).toMatchObject({ status: 409, code: 'subject_erased' });
      expect(await call(service, 'POST /v1/subjects/erase', { subject: '42' })).toEqual(erased);
    }
    await call(one, 'POST /v1/subjects/erase', { subject: 'never used', create: true });
    expect(await wrap(open(), 'never used')).toMatchObject({ status: 409 });
  });
});

describe('a change that cannot be written', () => {
  const subject = '42';
  const changes: Record<string, (service: LocalService) => Promise<Record<string, unknown>>> = {
    'a new key': (service) => ask(service, 'POST ', { name: 'customers' }),
    'a rotation': (service) => ask(service, `POST /${service.keyId}/rotate`),
    'a disabled key': (service) => ask(service, `POST /${service.keyId}/disable`),
    'an erased person': (service) => call(service, 'POST /v1/subjects/erase', { subject }),
    'a new person': (service) => ask(service, `POST /${service.keyId}/wrap`, { dek, subject: '43' }),
  };
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const steps = ['openSync', 'writeFileSync', 'fsyncSync', 'renameSync'] as const;
  const cases = steps.flatMap((step) => Object.keys(changes).map((name) => [name, step] as const));

  /** Lets a step of the write of a key file fail. What reads the file, and what takes its lock, still works. */
  const fill = (step: (typeof steps)[number]): void => {
    const real = fs[step] as (...given: unknown[]) => unknown;
    vi.spyOn(fs, step).mockImplementation((...given: unknown[]) => {
      const isOfLock = step === 'writeFileSync' && typeof given[0] !== 'number';
      if (isOfLock || (step === 'openSync' && given[0] !== `${file}.new`)) return real(...given) as never;
      throw full;
    });
    syncBuiltinESMExports();
  };

  test.each(cases)('%s, because `%s` fails, leaves nothing behind in memory', async (name, step) => {
    const service = open();
    const { wrapped_key } = await ask(service, `POST /${service.keyId}/wrap`, { dek, subject });
    const look = async (by: LocalService) => [
      await ask(by, 'GET '),
      await ask(by, `POST /${by.keyId}/unwrap`, { wrapped_key, subject }),
    ];
    const before = await look(service);
    const text = readFileSync(file, 'utf8');
    fill(step);

    for (let time = 1; time <= 2; time++) {
      const answer = await changes[name]?.(service);
      expect(answer).toMatchObject({ status: 503, detail: expect.stringContaining('free space') as string });
      expect(await look(service)).toEqual(before);
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
    vi.mocked(fs[step]).mockRestore();
    syncBuiltinESMExports();
    expect(await look(open())).toEqual(before);
    expect(await changes[name]?.(service)).not.toMatchObject({ status: 503 });
  });
});

describe('a locked key file', () => {
  test('is never replaced by an open one', () => {
    open();
    vi.stubEnv('EAAS_LOCAL_PASSPHRASE', 'a passphrase');
    expect(open).toThrow(`the key file ${file} is not locked, but the environment says so`);
  });

  test.each([
    [{ EAAS_LOCAL_PASSPHRASE: '' }, 'the passphrase of a key file must not be empty'],
    [{ EAAS_LOCAL_KEY_COMMAND: 'print-key' }, 'must be the absolute path of a program'],
    [{ EAAS_LOCAL_PASSPHRASE: 'a', EAAS_LOCAL_KEY_COMMAND: '/bin/true' }, 'set either EAAS_LOCAL_PASSPHRASE'],
  ])('needs usable variables: %o', (variables, message) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    expect(open).toThrow(message);
    expect(existsSync(file)).toBe(false);
  });
});

const given: Uint8Array[] = [];
const keyFor = () => given[given.push(new Uint8Array(32).fill(7)) - 1] ?? null;
const opener: Opener = { kind: 'key', newLock: () => ({ kind: 'key' }), keyFor };
test.each<[string, (file: KeyFile) => unknown]>([
  ['makes', () => newKeyFile(opener)],
  ['opens', (file) => openKeyFile('a file', formatKeyFile(file), opener)],
  ['locks anew', (file) => relockedKeyFile(file, opener)],
])('what %s a key file wipes the key of its lock', (_, work) => {
  work(newKeyFile(opener));
  expect(given.splice(0).every((key) => !key.some(Boolean))).toBe(true);
});

describe('the error about a key file', () => {
  const change = (member: string, value: unknown) => () =>
    edit((text) => JSON.stringify({ ...(JSON.parse(text) as object), [member]: value }));

  test.each([
    ['is empty', () => edit(() => ''), 'is not JSON (0 characters): it was cut or overwritten'],
    ['was cut', () => edit((text) => text.slice(0, -20)), 'is not JSON ('],
    ['is newer', change('version', 4), 'has another version than 2 and 3 (got 4)'],
    ['is older', change('version', 1), 'has another version than 2 and 3 (got 1): use the release that'],
    ['has what no version has', change('note', 1), 'has an unknown `note`: restore your copy'],
    ['lost its MAC', change('mac', undefined), 'has no `mac`: '],
    ['has another MAC', change('mac', dek), 'was cut, damaged or edited'],
    [
      'was edited',
      () => edit((text) => text.replace('"active"', '"disabled"')),
      'was cut, damaged or edited',
    ],
    ['can be read by others', () => chmodSync(file, 0o640), 'run `chmod 600 '],
    ['can be replaced', () => chmodSync(dirname(file), 0o770), 'can replace the key file in the folder'],
    ['is a folder', () => (rmSync(file), mkdirSync(file)), 'must be a file: pass the path of a key file'],
  ])('that %s names the file and what to do, and nothing in it', async (_, damage, message) => {
    const running = open();
    const { tenant_secret, mac, keys } = stored();
    damage();
    const error = errorOf(open);
    expect(error).toBeInstanceOf(InputError);
    const text = (error as Error).message;
    expect(text).toContain(message);
    expect(text).toContain(dirname(file));
    for (const secret of [tenant_secret, mac, ...keys.map((key) => Reflect.get(key, 'hash_key') as string)]) {
      expect(text).not.toContain(secret);
    }
    // Asked twice, because the first failure must not leave the old keys in use.
    for (let call = 1; call <= 2; call++) {
      const answer = await ask(running, `POST /${running.keyId}/wrap`, { dek });
      expect(answer).toMatchObject({ status: 503, code: 'unavailable' });
      expect(answer['detail']).toContain(message.slice(1));
    }
  });

  // Only root can give a file away.
  test.runIf(process.getuid?.() === 0).each([
    ['the file', () => file, 'can read or write the key file'],
    ['its folder', () => dirname(file), 'can replace the key file in the folder'],
  ])('says that another user owns %s', (_, pathOf, what) => {
    open();
    chownSync(pathOf(), 12_345, 12_345);
    expect(errorOf(open)).toBeInstanceOf(InputError);
    expect(open).toThrow(`its owner, who is another user of this machine, ${what} ${pathOf()}: use`);
  });

  test('that a running service misses says so, and the service does not make another one', async () => {
    const running = open();
    rmSync(file);
    const missing = {
      status: 503,
      detail: `${file} cannot be read (ENOENT): check the path, or restore it from your copy.`,
    };
    expect(await ask(running, `POST /${running.keyId}/wrap`, { dek })).toMatchObject(missing);
    await expect(running.createKey('customers')).rejects.toMatchObject({ code: 'unavailable' });
    expect(existsSync(file)).toBe(false);
  });

  test('of another tenant that was put in its place is refused while the service runs', async () => {
    const running = open();
    const other = readFileSync(file, 'utf8');
    rmSync(file);
    open();
    for (let call = 1; call <= 2; call++) {
      expect(await ask(running, `POST /${running.keyId}/wrap`, { dek })).toMatchObject({ status: 503 });
    }
    writeFileSync(file, other);
    expect(await ask(running, `POST /${running.keyId}/wrap`, { dek })).toMatchObject({ key_version: 1 });
  });
});
