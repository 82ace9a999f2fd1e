// Wrap, unwrap, rewrap, hash, encrypt and decrypt: one call about a data key each, and batches of many such calls, each with a
// result and an entry of its own. A service puts them together with others.
import { parseUuid } from '@eaas/protocol';
import { viewBase64 } from '@eaas/protocol/internal-base64';
import { type BatchResult, checked, orRefusal, refusalOf, resultOf } from '@eaas/protocol/internal-service';
import { endpoints, type Item, limits, type Route } from '@eaas/protocol/wire';
import { Missing, type Receipts, type Verdict, type View } from '../ledger/decision.ts';
import { type Need, refTo, type Write } from '../ledger/table.ts';
import { type KeyRow, keys, keyVersions } from '../ledger/tables.ts';
import { unlessRefused } from '../operate.ts';
import type { Caller, Operations, Part } from '../operation.ts';
import type { Creation, KeyCall, Keying, KeyVerb, Suite } from '../plugin.ts';
import type { Holder } from '../rules/authorize.ts';
import { type KeyCase, type KeyRule, keyRules, readWrapped } from '../rules/data-key-rules.ts';
import type { Draft } from '../rules/draft.ts';
import { headOf, type KeyCrypto, keyCrypto } from '../rules/key-crypto.ts';
import { Refusal } from '../rules/refusal.ts';
import { decryptRule, encryptRule, readDecryptCall } from '../rules/server-mode-rules.ts';
import type { Service } from '../service.ts';
import { requireKey } from './records.ts';

type Verb = KeyVerb | 'hash';

export const serverModeOperations = {
  'POST /v1/encrypt': /* @__PURE__ */ single('encrypt', encryptRule),
  'POST /v1/decrypt': /* @__PURE__ */ single('decrypt', decryptRule, readDecryptCall),
} satisfies Partial<Operations>;

export const dataKeyOperations = {
  'POST /v1/hash': single('hash', keyRules.hash),
  'POST /v1/keys/:key_id/wrap': single('wrap', keyRules.wrap),
  'POST /v1/keys/:key_id/unwrap': single('unwrap', keyRules.unwrap, presenting),
  'POST /v1/keys/:key_id/rewrap': single('rewrap', keyRules.rewrap, presenting),
} satisfies Partial<Operations>;

/** Decodes the wrapped key of a call. */
function presenting<Call extends { readonly wrapped_key: string }>(call: Call) {
  return { ...call, wrapped: readWrapped(call.wrapped_key) };
}

function single<Request, Call extends KeyCall, Answer>(
  verb: Verb,
  rule: KeyRule<Call, Answer>,
  read = (input: Request): Call => input as never,
) {
  return (service: Service, _: Caller, input: Request): Part<Answer> => {
    const call = read(input);
    return keyPart(service, verb, [call], (caseOf) => rule(caseOf(call)));
  };
}

/** What the calls of one request have in common: the rows, the part of plugins, and sealers that end with the judgement. */
function keyPart<Call extends KeyCall, Answer>(
  service: Service,
  verb: Verb,
  calls: readonly Call[],
  judge: (caseOf: (call: Call, nth?: number) => KeyCase<Call>) => Verdict<Answer>,
): Part<Answer> {
  const { plugins, suites } = service;
  // A hash is nobody's data key, so no plugin takes part in it.
  const taking = verb === 'hash' ? [] : plugins.map((plugin) => plugin.keying?.(calls, service, verb));
  const keyings = taking.filter((keying) => keying !== undefined);
  return {
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
      const keysOfRequest = new KeysOfRequest(view, holder, keyings, suites);
      const created = new Set<Creation>();
      const isFirst = (creation: Creation): boolean => {
        if (created.has(creation)) return false;
        created.add(creation);
        return true;
      };
      const caseOf = (call: Call, nth = 0) => {
        const { key, crypto } = keysOfRequest.of(call.key_id);
        return { view, holder, key, call, crypto, keyings, entryId: view.entryId + nth, isFirst };
      };
      try {
        return judge(caseOf);
      } finally {
        keysOfRequest.wipe();
      }
    },
    end() {
      for (const keying of keyings) keying.end?.();
    },
  };
}

/** The keys that the calls of one request name, with what seals and opens under each. */
class KeysOfRequest {
  readonly #view: View;
  readonly #holder: Holder | null;
  readonly #keyings: readonly Keying[];
  readonly #suites: readonly Suite[];
  readonly #cryptos = new Map<KeyRow, KeyCrypto>();
  #last: { readonly id: string; readonly key: KeyRow; readonly crypto: KeyCrypto } | undefined;

  constructor(view: View, holder: Holder | null, keyings: readonly Keying[], suites: readonly Suite[]) {
    this.#view = view;
    this.#holder = holder;
    this.#keyings = keyings;
    this.#suites = suites;
  }

  /** Finds the key of a call. Most calls of a request have the same. Throws Refusal and Missing. */
  of(id: string): { readonly key: KeyRow; readonly crypto: KeyCrypto } {
    if (this.#last?.id === id) return this.#last;

    let key = requireKey(this.#view, this.#holder, id);
    for (const keying of this.#keyings) key = keying.keyFor?.(key) ?? key;
    const crypto = this.#cryptos.get(key) ?? keyCrypto(this.#view, key, this.#suites);
    this.#cryptos.set(key, crypto);
    this.#last = { id, key, crypto };
    return this.#last;
  }

  wipe(): void {
    for (const crypto of this.#cryptos.values()) crypto.wipe();
  }
}

/** Names the keys of calls with their newest versions, if they are known, and the versions that wrapped keys name. */
export function rowsOf(calls: readonly KeyCall[], suites: readonly Suite[], view: Pick<View, 'find'>) {
  const needs = new Set<Need>();
  let id: string | undefined;
  let named: number | undefined;
  for (const { key_id, wrapped } of calls) {
    const version = wrapped && headOf(suites, wrapped)?.version;
    // Most calls of a request need what the one before does.
    if (key_id === id && version === named) continue;
    id = key_id;
    named = version;
    const keyId = parseUuid(key_id);
    if (keyId === undefined) continue;
    needs.add(refTo(keys, keyId));
    const newest = unlessRefused(() => view.find(keys, keyId))?.key_version;
    for (const one of [newest, version]) {
      if (one && one <= limits.keyVersions) needs.add(refTo(keyVersions, keyId, one));
    }
  }
  return [...needs];
}

export const batchOperations = {
  'POST /v1/batch/wrap': batch('POST /v1/batch/wrap', 'wrap', keyRules.wrap),
  'POST /v1/batch/unwrap': batch('POST /v1/batch/unwrap', 'unwrap', keyRules.unwrap, presenting),
  'POST /v1/batch/rewrap': batch('POST /v1/batch/rewrap', 'rewrap', keyRules.rewrap, presenting),
  'POST /v1/batch/hash': batch('POST /v1/batch/hash', 'hash', keyRules.hash),
} satisfies Partial<Operations>;

interface Batch {
  readonly items: readonly unknown[];
  readonly user?: string | undefined;
}

type Batched<Answer> = Part<{ results: BatchResult<Answer>[] }>;

function batch<R extends BatchRoute, Call extends KeyCall, Answer extends object>(
  route: R,
  verb: Verb,
  rule: KeyRule<Call, Answer>,
  read = (item: Item<R>): Call => item as never,
) {
  const schema = endpoints[route].item;
  /** Checks an item like the body of the single call. */
  const check = (item: unknown): Call => {
    if (item instanceof Refusal) throw item;
    return (plainCall(verb, item) as Call | undefined) ?? read(checked(schema, item, 'item') as Item<R>);
  };
  return (service: Service, { isUser }: Caller, { items, user }: Batch): Batched<Answer> => {
    const of = (call: Call): Call => (user === undefined ? call : { ...call, user });
    const calls = items.map((item) => orRefusal(() => of(check(item))));
    const sound = calls.filter((call): call is Call => !(call instanceof Refusal));
    const part = keyPart(service, verb, sound, (caseOf) => {
      const { results, ...written } = ruleEach(calls, (call, nth) => rule(caseOf(call, nth)));
      const answer = (receipts: Receipts) => ({
        results: results.map(([result, nth], at) =>
          resultOf(items[at], result, nth === undefined || isUser ? undefined : receipts.of(nth)),
        ),
      });
      return { ...written, answer };
    });
    return { ...part, isBatch: true };
  };
}

/**
 * Makes a call of an item that has only a key and a data key, as most have. Undefined for others: they are checked by their
 * schema, which explains what is wrong with them.
 */
function plainCall(verb: Verb, item: unknown): (KeyCall & { readonly dek?: string }) | undefined {
  const main = verb === 'wrap' ? 'dek' : 'wrapped_key';
  if (verb === 'hash' || typeof item !== 'object' || item === null) return undefined;
  for (const name in item) if (name !== 'key_id' && name !== main) return undefined;
  const { key_id, [main]: text } = item as Readonly<Record<string, unknown>>;
  if (typeof key_id !== 'string' || typeof text !== 'string' || text === '') return undefined;
  if (verb === 'wrap') {
    return /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text) ? { key_id, dek: text } : undefined;
  }
  const wrapped = viewBase64(text);
  return wrapped && { key_id, [main]: text, wrapped };
}

/**
 * Applies a rule to each call. The results come with the places of their entries. Calls that are refused alike, like those of
 * a user for others, have one entry together.
 */
function ruleEach<Call, Answer>(
  calls: readonly (Call | Refusal)[],
  rule: (call: Call, nth: number) => ReturnType<KeyRule<Call, Answer>>,
) {
  const results: [result: Answer | Refusal, nth?: number | undefined][] = [];
  const entries: Draft[] = [];
  const writes: Write[] = [];
  const missing: Missing[] = [];
  const alike: ((items: number) => Draft)[] = [];
  for (const call of calls) {
    try {
      if (call instanceof Refusal) throw call;
      const ruled = rule(call, entries.length);
      entries.push(...ruled.entries);
      writes.push(...(ruled.writes ?? []));
      const lastEntry = ruled.entries.length > 0 ? entries.length - 1 : undefined;
      results.push([ruled.answer, lastEntry]);
    } catch (error) {
      if (error instanceof Missing) {
        missing.push(error);
        continue;
      }
      const refusal = refusalOf(error);
      results.push([refusal]);
      if (refusal.entry) alike.push(refusal.entry);
    }
  }
  // The rows that calls lack are read at once, and then what rests on them is prepared.
  if (missing.length > 0) throw new Missing(missing.flatMap(({ needs }) => needs));
  const [entry] = alike;
  return { results, writes, entries: entry ? [...entries, entry(alike.length)] : entries };
}

type BatchRoute = { [R in Route]: [Item<R>] extends [never] ? never : R }[Route];
