// Wrap, unwrap, rewrap, hash, encrypt and decrypt: one call about a data key each. Batches (batches.ts) are made of the same
// parts. A service puts them together with others.
import { parseUuid } from '@eaas/protocol';
import { limits } from '@eaas/protocol/wire';
import type { Verdict, View } from '../ledger/decision.ts';
import { type KeyRow, keys, keyVersions, type Need, refTo } from '../ledger/tables.ts';
import { unlessRefused } from '../operate.ts';
import type { Caller, Operations, Part } from '../operation.ts';
import type { Creation, KeyCall, KeyVerb, Suite } from '../plugin.ts';
import { type KeyCase, type KeyRule, keyRules, readWrapped } from '../rules/data-key-rules.ts';
import { headOf, type KeyCrypto, keyCrypto } from '../rules/key-crypto.ts';
import { Refusal } from '../rules/refusal.ts';
import { decryptRule, encryptRule, readDecryptCall } from '../rules/server-mode-rules.ts';
import type { Service } from '../service.ts';
import { requireKey } from './records.ts';

type Verb = KeyVerb | 'hash';

export const dataKeyOperations = {
  'POST /v1/encrypt': single('encrypt', encryptRule),
  'POST /v1/decrypt': single('decrypt', decryptRule, readDecryptCall),
  'POST /v1/hash': single('hash', keyRules.hash),
  'POST /v1/keys/:key_id/wrap': single('wrap', keyRules.wrap),
  'POST /v1/keys/:key_id/unwrap': single('unwrap', keyRules.unwrap, presenting),
  'POST /v1/keys/:key_id/rewrap': single('rewrap', keyRules.rewrap, presenting),
} satisfies Partial<Operations>;

/** Decodes the wrapped key of a call. */
export function presenting<Call extends { readonly wrapped_key: string }>(call: Call) {
  return { ...call, wrapped: readWrapped(call.wrapped_key) };
}

function single<Request, Call extends KeyCall, Answer>(
  verb: Verb,
  rule: KeyRule<Call, Answer>,
  read = (input: Request): Call => input as never,
) {
  return (service: Service, _: Caller, input: Request): Part<Answer> => {
    const call = read(input);
    return keyPart(service, verb, [call], (view, caseOf) => {
      const { draft, answer, creates } = rule(caseOf(call));
      return {
        entries: draft ? [draft] : [],
        writes: creates?.writes(view, view.entryId) ?? [],
        encrypts: verb === 'encrypt' && !(answer instanceof Refusal) ? 1 : 0,
        answer,
      };
    });
  };
}

/** What the calls of one request have in common: the rows, the part of plugins, and sealers that end with the judgement. */
export function keyPart<Call extends KeyCall, Answer>(
  service: Service,
  verb: Verb,
  calls: readonly Call[],
  judge: (view: View, caseOf: (call: Call) => KeyCase<Call>) => Verdict<Answer>,
): Part<Answer> {
  const { plugins, suites } = service;
  // A hash is nobody's data key, so no plugin takes part in it.
  const taking = verb === 'hash' ? [] : plugins.map((plugin) => plugin.keying?.(calls, service));
  const keyings = taking.filter((keying) => keying !== undefined);
  return {
    by: verb === 'hash' ? 'guess' : 'append',
    needs: (view, holder) => [
      ...rowsOf(calls, suites, view),
      ...keyings.flatMap((keying) => keying.needs?.(view, holder) ?? []),
    ],
    ...(keyings.some((keying) => keying.prepare !== undefined) && {
      async prepare(view, holder) {
        for (const keying of keyings) await keying.prepare?.(view, holder);
      },
    }),
    judge(view, holder) {
      for (const keying of keyings) keying.check?.(holder);
      const cryptos = new Map<KeyRow, KeyCrypto>();
      const created = new Set<Creation>();
      const caseOf = (call: Call) => {
        const key = requireKey(view, holder, call.key_id);
        const crypto = cryptos.get(key) ?? keyCrypto(view, key, suites);
        cryptos.set(key, crypto);
        return { view, holder, key, call, crypto, keyings, created };
      };
      try {
        return judge(view, caseOf);
      } finally {
        for (const crypto of cryptos.values()) crypto.wipe();
      }
    },
    end() {
      for (const keying of keyings) keying.end?.();
    },
  };
}

/** Names the keys of calls with their newest versions, if they are known, and the versions that wrapped keys name. */
export function rowsOf(calls: readonly KeyCall[], suites: readonly Suite[], view: Pick<View, 'find'>) {
  const needs = new Set<Need>();
  for (const { key_id, wrapped } of calls) {
    const keyId = parseUuid(key_id);
    if (keyId === undefined) continue;
    needs.add(refTo(keys, keyId));
    const newest = unlessRefused(() => view.find(keys, keyId))?.key_version;
    for (const version of [newest, wrapped && headOf(suites, wrapped)?.version]) {
      if (version && version <= limits.keyVersions) needs.add(refTo(keyVersions, keyId, version));
    }
  }
  return [...needs];
}
