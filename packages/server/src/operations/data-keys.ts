import { randomBytes } from 'node:crypto';
import { parseUuid } from '@eaas/protocol';
import { viewBase64 } from '@eaas/protocol/base64';
import { intakeWrappedBase64Length } from '@eaas/protocol/internal-intake';
import { nodeEngine } from '@eaas/protocol/node';
import {
  type BatchResult,
  decryptRule,
  encryptRule,
  hashRule,
  itemReader,
  type KeyCrypto,
  keyNotFound,
  type KeyRule,
  type People,
  Refusal,
  requireNoUser,
  requireKeyId,
  rewrapRule,
  ruleEach,
  type Ruling,
  runBatch,
  type Subject,
  unwrapRule,
  type Who,
  withReceipt,
  wrappedKeyIn,
  wrapRule,
} from '@eaas/protocol/service';
import type { Caller } from '../state/caller.ts';
import { wrappedKeyVersion } from '../crypto/sealed-secret.ts';
import type { Service } from '../app/service.ts';
import { decide, type Facts } from '../state/decide.ts';
import { loadKeys, type Wanted } from '../state/load-keys.ts';
import type { KeyMaterial, Receipts } from '../state/tenant-view.ts';
import { type IntakeOpenings, intakeOpenings } from './intake.ts';
import { keyCrypto, type Needs, requireKey, withKey } from './key-crypto.ts';
import type { Operations } from './operation.ts';
import { findPeople, holdingSubjects } from './subjects.ts';

interface Fields {
  readonly key_id: string;
  readonly wrapped_key?: string;
  readonly value?: string;
}

type Named = Fields & Who;

export const dataKeyOperations = {
  'POST /v1/encrypt': (service, caller, input) =>
    decideWith(service, caller, [input], async (facts, find) => {
      const key = await requireKey(service, facts, input.key_id);
      const people = await find(always);
      const encrypt = (crypto: KeyCrypto) => encryptRule(key.row, crypto, nodeEngine, randomBytes(32), input);
      return { ...(await decideOne(service, caller, key, { people }, encrypt)), isEncrypt: true };
    }),
  'POST /v1/decrypt': (service, caller, input) =>
    withOpenings(service, caller, (openings) =>
      decideWith(service, caller, [input], async (facts, find) => {
        const key = await requireKey(service, facts, input.key_id, input.key_version);
        const wrapped = key.row.intake ? wrappedKeyIn(input) : undefined;
        if (wrapped) await openings.prepare([{ key, wrapped }]);
        const people = await find(never);
        return decideOne(service, caller, key, { people, openings }, (crypto) =>
          decryptRule(key.row, crypto, nodeEngine, input),
        );
      }),
    ),
  'POST /v1/hash': single(hashRule),
  'POST /v1/keys/:key_id/wrap': single(wrapRule),
  'POST /v1/keys/:key_id/unwrap': single(unwrapRule),
  'POST /v1/keys/:key_id/rewrap': single(rewrapRule),
  'POST /v1/batch/wrap': batch(itemReader('POST /v1/batch/wrap'), wrapRule),
  'POST /v1/batch/unwrap': batch(itemReader('POST /v1/batch/unwrap'), unwrapRule),
  'POST /v1/batch/rewrap': batch(itemReader('POST /v1/batch/rewrap'), rewrapRule),
  'POST /v1/batch/hash': batch(itemReader('POST /v1/batch/hash'), hashRule),
} satisfies Partial<Operations>;

/** As `decide`, with a function that finds the people whom the calls name. */
function decideWith<Call extends Who, Answer>(
  service: Service,
  caller: Caller,
  calls: readonly Call[],
  judge: (
    facts: Facts,
    find: (mayCreate: (call: Call) => boolean) => People | Promise<People>,
  ) => ReturnType<Parameters<typeof decide<Answer>>[2]>,
): Promise<Answer> {
  return holdingSubjects(calls, (held) =>
    decide(service, caller, (facts) => {
      requireNoUser(facts.apiKey?.signIn, calls);
      return judge(facts, (mayCreate) => findPeople(service, facts, calls, held, mayCreate));
    }),
  );
}

/** Computes in a turn of the caller's tenant, because 2 MiB of plaintext keep the event loop busy for milliseconds. */
async function decideOne<Answer>(
  { admission }: Service,
  caller: Caller,
  key: KeyMaterial,
  needs: Needs,
  rule: (crypto: KeyCrypto) => Ruling<Answer>,
) {
  const compute = () => decided(withKey(key, needs, rule));
  return admission.turns.call(caller.tenantId, compute, caller);
}

const decided = <Answer>({ draft, answer }: Ruling<Answer>) => ({ drafts: draft ? [draft] : [], answer });

/** The call has waited for a turn before its body was read, so only a long value waits for another one. */
const computedAtOnce = 16 * 1024;

function single<Input extends Named, Answer>(rule: KeyRule<Input, Answer>) {
  return (service: Service, caller: Caller, input: Input): Promise<Answer> => {
    const answer = (openings?: IntakeOpenings) =>
      decideWith(service, caller, [input], async (facts, find) => {
        const key = await requireKey(service, facts, input.key_id, versionIn(input));
        await openings?.prepare(wrappedIn([input], () => key));
        const finding = find(mayCreate);
        const needs = { people: finding instanceof Promise ? await finding : finding, openings };
        const compute = (crypto: KeyCrypto) => rule(key.row, crypto, input);
        const isShort = (input.value?.length ?? 0) <= computedAtOnce;
        if (isShort) return decided(withKey(key, needs, compute));
        return decideOne(service, caller, key, needs, compute);
      });
    return isIntake(input) ? withOpenings(service, caller, answer) : answer();
  };
}

export function batch<Input extends Named, Answer extends object>(
  read: (item: unknown) => Input,
  rule: KeyRule<Input, Answer>,
) {
  return async (
    service: Service,
    caller: Caller,
    { items, user }: { readonly items: readonly unknown[]; readonly user?: string | undefined },
  ): Promise<{ results: BatchResult<Answer>[] }> => {
    const { turns } = service.admission;
    const all = await turns.run(caller.tenantId, ruleEach(items, read), caller);
    return runBatch(items, all, async (read) => {
      const inputs = user === undefined ? read : read.map((input) => ({ ...input, user }));
      const results = await withOpenings(service, caller, (openings) =>
        decideAll(service, caller, openings, inputs, rule),
      );
      for (const result of results) service.alarms.failed(result);
      return results;
    });
  };
}

function decideAll<Input extends Named, Answer extends object>(
  service: Service,
  caller: Caller,
  openings: IntakeOpenings,
  inputs: readonly Input[],
  rule: KeyRule<Input, Answer>,
): Promise<(BatchResult<Answer> | Refusal)[]> {
  const rulings = new Rulings<Input, Ruling<Answer>>();
  return decideWith(service, caller, inputs, async ({ state, apiKey }, find) => {
    const loaded = await loadKeys(service.tenants, state, wantedBy(inputs));
    if (inputs.some(isIntake)) {
      await openings.prepare(wrappedIn(inputs, ({ key_id }) => loaded.get(parseUuid(key_id) ?? '')));
    }
    const people = await find(mayCreate);
    const needs = { people, openings };
    const keys = new Map(
      [...loaded].map(([keyId, key]) => [keyId, { row: key.row, crypto: keyCrypto(key, needs) }]),
    );
    const keyOf = remembering((text: string) => {
      const key = keys.get(requireKeyId(apiKey, text));
      if (!key) throw keyNotFound();
      return key;
    });
    const ruling = ruleEach(inputs, (input) => {
      const { row, crypto } = keyOf(input.key_id);
      const subject = input.subject === undefined ? undefined : people.subject(input.subject);
      return rulings.of(input, { row, subject, state: subject?.state }, () => rule(row, crypto, input));
    });
    const ruled = await service.admission.turns.run(caller.tenantId, ruling, caller).finally(() => {
      for (const { crypto } of keys.values()) crypto.wipe();
    });
    const drafts = ruled.flatMap((ruling) => (ruling instanceof Refusal ? [] : (ruling.draft ?? [])));
    const together = ruled.flatMap((ruling) => (ruling instanceof Refusal ? (ruling.entry ?? []) : []));
    return {
      drafts: [...drafts, ...together.slice(0, 1).map((entry) => entry(together.length))],
      answer: (receipts) => answersOf(ruled, receipts),
    };
  });
}

/** The answers of items, each with the receipt of its entry if it has one. */
function answersOf<Answer extends object>(
  ruled: readonly (Ruling<Answer> | Refusal)[],
  receipts: Receipts | undefined,
): (BatchResult<Answer> | Refusal)[] {
  let written = 0;
  return ruled.map((ruling) => {
    if (ruling instanceof Refusal) return ruling;
    const { draft, answer } = ruling;
    return withReceipt(answer, draft ? receipts?.of(written++) : undefined);
  });
}

/** What the ruling of an item rests on, beside its call. */
interface Grounds {
  readonly row: KeyMaterial['row'];
  readonly subject: Subject | undefined;
  readonly state: Subject['state'] | undefined;
}

/**
 * The rulings of a call's items. A call that is judged again, because its tenant has changed, wraps again only for the keys
 * and subjects that the change touched: their rows were read again, and are other objects.
 */
class Rulings<Item, Result> {
  readonly #all = new Map<Item, Grounds & { readonly result: Result }>();

  of(item: Item, { row, subject, state }: Grounds, rule: () => Result): Result {
    const known = this.#all.get(item);
    if (known?.row === row && known.subject === subject && known.state === state) return known.result;
    const result = rule();
    this.#all.set(item, { row, subject, state, result });
    return result;
  }
}

function wantedBy(inputs: readonly Fields[]): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const input of inputs) {
    const keyVersion = versionIn(input);
    const name = `${input.key_id} ${keyVersion}`;
    const keyId = wanted.has(name) ? undefined : parseUuid(input.key_id);
    if (keyId) wanted.set(input.key_id, { keyId }).set(name, { keyId, keyVersion });
  }
  return [...wanted.values()];
}

function remembering<Found>(find: (text: string) => Found): (text: string) => Found {
  const found = new Map<string, Found>();
  return (text) => {
    const value = found.get(text) ?? find(text);
    found.set(text, value);
    return value;
  };
}

function versionIn({ wrapped_key }: Fields): number | undefined {
  return wrapped_key === undefined ? undefined : wrappedKeyVersion(wrapped_key);
}

/** A data key that is wrapped for a subject may be its first: a new one, or one that an intake writer has wrapped. */
const mayCreate = (input: Fields): boolean => input.wrapped_key === undefined || isIntake(input);
const always = (): boolean => true;
const never = (): boolean => false;

const isIntake = ({ wrapped_key }: Fields): boolean => wrapped_key?.length === intakeWrappedBase64Length;

function* wrappedIn<Input extends Fields>(
  inputs: readonly Input[],
  keyOf: (input: Input) => KeyMaterial | undefined,
) {
  for (const input of inputs) {
    const key = isIntake(input) ? keyOf(input) : undefined;
    const wrapped = key?.row.intake ? viewBase64(input.wrapped_key ?? '') : undefined;
    if (key && wrapped) yield { key, wrapped };
  }
}

async function withOpenings<T>(
  service: Service,
  caller: Caller,
  work: (openings: IntakeOpenings) => Promise<T>,
): Promise<T> {
  const openings = intakeOpenings(service, caller);
  try {
    return await work(openings);
  } finally {
    openings.wipe();
  }
}
