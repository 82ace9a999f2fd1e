import { expect, test } from 'vitest';
import { endpoints, type ProblemCode, problems } from '@eaas/protocol/wire';
import type { AuditFindingCode } from '../../packages/audit/src/findings.ts';
import type { BrowserClientOptions } from '../../packages/sdk/src/browser/browser.ts';
import type { SdkError } from '../../packages/sdk/src/errors.ts';
import { clientOptions } from '../../packages/sdk/src/client/client-options.ts';
import { type CachePreset, limitsOf } from '../../packages/sdk/src/data-keys/limits.ts';
import { codesIn, read, rowsUnder } from '@eaas/test-kit/markdown';
import { sources } from '../house-rules/files.ts';

const manual = read('packages/sdk/README.md');

function membersOf<T extends string>(members: Readonly<Record<T, true>>): string[] {
  return Object.keys(members);
}

test('the table of errors names exactly the error codes of the client', () => {
  const named = rowsUnder(manual, 'error').flatMap(([, codes = '']) => codesIn(codes));
  const own = membersOf<Exclude<SdkError['code'], ProblemCode>>({
    network: true,
    timeout: true,
    aborted: true,
    invalid_response: true,
    not_primed: true,
    closed: true,
    half: true,
    not_loaded: true,
    format: true,
    decryption: true,
    input: true,
  });
  expect(named).toEqual(expect.arrayContaining(own));
  const known = new Set([...own, ...Object.keys(problems)]);
  expect(named.filter((code) => !known.has(code))).toEqual([]);
});

test('the manual names every variable that the client reads, every class of errors, and every call that is never repeated', () => {
  const code = sources.filter(({ path }) => path.startsWith('packages/sdk/')).map(({ text }) => text);
  const variables = code.join('').match(/(?<=')EAAS_\w+(?=')/g) ?? [];
  expect(variables).toContain('EAAS_HALF');
  expect(variables.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  const classes = code.join('').match(/(?<=export class )\w+(?= extends EaasError)/g);
  expect(classes?.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  const repeatable = new RegExp(/const repeatable = \/(.+)\/;/.exec(code.join(''))?.[1] ?? '');
  const [never = ''] = /Never repeated are [^.]+/.exec(manual) ?? [];
  const routes = Object.keys(endpoints).filter((route) => !repeatable.test(route));
  const verbs = routes.map((route) => (route.endsWith('s') ? 'create' : /^POST .*\/(\w+)$/.exec(route)?.[1]));
  expect(verbs).toContain('rotate');
  expect(verbs.filter((verb = 'destroy') => !never.includes(verb))).toEqual([]);
});

test('the table of cache presets has the limits of the SDK', () => {
  const rows = rowsUnder(manual, '`cache`');
  const presets = membersOf<CachePreset>({ serverless: true, server: true, browser: true });
  const named = rows.flatMap(([name = '']) => codesIn(name)).map((code) => code.slice(1, -1));
  expect(named.toSorted()).toEqual(presets.toSorted());
  for (const [name = '', encrypts = '', kept = ''] of rows) {
    const limits = limitsOf(codesIn(name)[0]?.slice(1, -1) as CachePreset);
    const [messages, time, bytes] = encrypts.split(', ').map((limit) => limit.replace(/ values/, ''));
    expect(messages).toBe(limits.encrypt.maxMessages.toLocaleString('en'));
    expect(time).toBe(
      limits.encrypt.maxAge === 60_000 ? 'a minute' : `${limits.encrypt.maxAge / 60_000} minutes`,
    );
    expect(bytes).toBe(
      limits.encrypt.maxBytes === 2 ** 30 ? '1 GiB' : `${limits.encrypt.maxBytes / 2 ** 20} MiB`,
    );
    expect(kept).toBe(`${limits.decrypt.maxEntries.toLocaleString('en')}, for ${time}`);
    expect(limits.decrypt.maxAge).toBe(limits.encrypt.maxAge);
  }
});

test('audit.md of the SDK explains every code that an audit finding can have', () => {
  const table = rowsUnder(read('packages/sdk/docs/audit.md'), 'finding');
  const explained = table.flatMap(([code = '']) => codesIn(code));
  const codes = membersOf<AuditFindingCode>({
    verifier_key_changed: true,
    checkpoint_invalid: true,
    rollback: true,
    fork: true,
    checkpoint_mismatch: true,
    entry_changed: true,
    entry_missing: true,
    entry_unexpected: true,
    time_went_back: true,
    contradiction: true,
    purged_unread: true,
    service_verification_failed: true,
    proof_mismatch: true,
    proof_invalid: true,
    proof_unwitnessed: true,
    proof_missing: true,
  });
  expect(explained.toSorted()).toEqual(codes.toSorted());
});

test('the table of options has every option of the browser client', () => {
  const rows = rowsUnder(read('packages/sdk/docs/browser.md'), 'option');
  expect(rows.flatMap(([names = '']) => codesIn(names)).toSorted()).toEqual(
    membersOf<keyof BrowserClientOptions>({
      ...(Object.fromEntries(Object.keys(clientOptions).map((name) => [name, true])) as Record<
        keyof typeof clientOptions,
        true
      >),
      baseUrl: true,
      proxyUrl: true,
      headers: true,
    }).toSorted(),
  );
});
