import { type Context, DecryptionError } from '@eaas/protocol';
import type { Header } from '@eaas/protocol/envelope';
import type { Settled } from '../errors.ts';
import type { Calls } from './calls.ts';
import { type Conversion, type Convert, failedWith, kept, unsuitable, type Value } from './convert.ts';
import { proven } from './encrypt.ts';
import { at, type Opening, type ReencryptPlan, type Sealing } from './plan.ts';
import { formOf } from './stored-form.ts';
import type { StoredRow } from './store.ts';
import type { Proof } from './verify.ts';

interface Moving<Row extends StoredRow> {
  readonly value: Value<Row>;
  readonly bytes: Uint8Array;
  readonly opening: Opening;
  readonly sealing: Sealing;
}

/** Decrypts values and encrypts them again; those that are seen to be done are left. */
export function moving<Row extends StoredRow>(
  plan: ReencryptPlan<Row>,
  { calls, proof }: { readonly calls: Calls; readonly proof: Proof | undefined },
): Convert<Row> {
  return async (values) => {
    const begun = values.map((value): Moving<Row> | Conversion => {
      const form = formOf(value.stored);
      if (form.kind !== 'envelope') return unsuitable(form.kind);
      const sealing = at(plan.to, value);
      const opening = plan.from ? at(plan.from, value) : openingOf(sealing);
      if (isDone(form.header, keysOf(opening, sealing, calls.keyId), plan.keyVersion)) return kept;
      return { value, bytes: form.bytes, opening, sealing };
    });
    const outstanding = begun.filter((one) => 'bytes' in one);
    const moved = await moveAll(outstanding, plan.keyVersion, calls, proof);
    return begun.map((one) => ('bytes' in one ? (moved.get(one) ?? failedWith('invalid_response')) : one));
  };
}

async function moveAll<Row extends StoredRow>(
  all: readonly Moving<Row>[],
  keyVersion: number | undefined,
  calls: Calls,
  proof: Proof | undefined,
): Promise<Map<Moving<Row>, Conversion>> {
  const results = new Map<Moving<Row>, Conversion>();
  const opened = await calls.open(all);
  try {
    await settleDone(all, opened, calls, results);
    const open = all.flatMap((one, index) => {
      const plaintext = opened[index];
      return plaintext?.ok ? [{ one, value: plaintext.value, sealing: one.sealing }] : [];
    });
    const sealed = await calls.seal(open);
    await Promise.all(
      open.map(async ({ one, value, sealing }, index) => {
        const from = { value, stored: one.value.stored, sealing, keyVersion };
        results.set(one, await proven(sealed[index], from, proof));
      }),
    );
    return results;
  } finally {
    wipe(opened);
  }
}

/** What does not open as it was is either done already, by its new context, or failed. */
async function settleDone<Row extends StoredRow>(
  all: readonly Moving<Row>[],
  opened: readonly Settled<Uint8Array>[],
  calls: Calls,
  results: Map<Moving<Row>, Conversion>,
): Promise<void> {
  const again: Moving<Row>[] = [];
  all.forEach((one, index) => {
    const result = opened[index];
    if (!result || result.ok) return;
    results.set(one, { kind: 'failed', error: result.error });
    const contexts = !sameContext(one.opening.context, one.sealing.context);
    const wraps = !sameContext(one.opening.wrapContext, one.sealing.wrapContext);
    if (result.error instanceof DecryptionError && (contexts || wraps)) again.push(one);
  });
  const reopened = await calls.open(
    again.map(({ bytes, sealing }) => ({ bytes, opening: openingOf(sealing) })),
  );
  again.forEach((one, index) => {
    if (reopened[index]?.ok) results.set(one, kept);
  });
  wipe(reopened);
}

/** What a value is moved between, as far as a header can tell. */
interface Keys {
  /** None where any will do. */
  readonly sources: readonly string[];
  readonly target: string | undefined;
  readonly sameContexts: boolean;
}

function keysOf(opening: Opening, sealing: Sealing, usual: string | undefined): Keys {
  const sources = opening.anyKey ? [] : [opening.keyId ?? usual ?? []].flat();
  return {
    sources: sources.map((source) => source.toLowerCase()),
    target: (sealing.keyId ?? usual)?.toLowerCase(),
    sameContexts:
      sameContext(opening.context, sealing.context) && sameContext(opening.wrapContext, sealing.wrapContext),
  };
}

/** Whether the header tells that the value was encrypted as asked. It says nothing of a context. */
function isDone(
  { keyId, keyVersion }: Header,
  { sources, target, sameContexts }: Keys,
  suffices: number | undefined,
): boolean {
  if (target !== keyId) return false;
  if (sources.length > 0 && !sources.includes(target)) return true;
  return sameContexts && suffices !== undefined && keyVersion >= suffices;
}

function openingOf({ keyId, context, scope, wrapContext }: Sealing): Opening {
  return { keyId, context, scope, wrapContext };
}

function sameContext(one: Context = {}, other: Context = {}): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

function wipe(opened: readonly Settled<Uint8Array>[]): void {
  for (const one of opened) if (one.ok) one.value.fill(0);
}
