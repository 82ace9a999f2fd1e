import { type Context, type Wrapped } from '@eaas/protocol';
import { replaceWrapped } from '@eaas/protocol/envelope';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import type { Rewrapped } from '../call-options.ts';
import type { Settled } from '../errors.ts';
import type { Calls } from './calls.ts';
import { reason } from './reason.ts';
import { type Conversion, type Convert, failedWith, kept, unsuitable } from './convert.ts';
import { at, type RewrapPlan } from './plan.ts';
import { recent } from './recent.ts';
import type { StoredRow } from './store.ts';
import { type Encrypted, formOf, inFormOf } from './stored-form.ts';
import type { Proof } from './verify.ts';

/** A value that needs a newer header. */
interface Outdated extends Encrypted {
  /** Its header, and what that was wrapped with: what is the same has the same successor. */
  readonly name: string;
  readonly wrapContext: Context | undefined;
}

/** What the data key is wrapped as from now on, or why it is not. */
type Successor = Wrapped | Conversion;

interface Rewrapping {
  readonly calls: Calls;
  readonly proof: Proof | undefined;
  /** By key: the version that suffices. What is learned of the keys is added. */
  readonly keyVersions: Record<string, number>;
}

/**
 * Gives each value a header of the newest key version. Values that share a data key go on sharing one wrapped key: it is
 * wrapped anew once, not once a value, or each of them would cost an unwrap of its own from then on.
 */
export function rewrapping<Row extends StoredRow>(plan: RewrapPlan<Row>, run: Rewrapping): Convert<Row> {
  const remembered = recent<Successor>();
  return async (values) => {
    const forms = values.map(({ stored }) => formOf(stored));
    const outdated = forms.map((form, index): Outdated | undefined => {
      const value = values[index];
      if (!('header' in form) || !value) return undefined;
      const { keyId, keyVersion, length } = form.header;
      if (plan.keyVersion !== undefined) run.keyVersions[keyId] = plan.keyVersion;
      if (keyVersion >= (run.keyVersions[keyId] ?? Number.POSITIVE_INFINITY)) return undefined;
      const wrapContext = at(plan.wrapContext, value);
      const name = `${toBase64(form.bytes.subarray(4, length))} ${JSON.stringify(wrapContext)}`;
      return { ...form, name, wrapContext };
    });
    const successors = await successorsOf(outdated, run, plan.keyVersion, remembered);
    return forms.map((form, index): Conversion => {
      if (!('header' in form)) return unsuitable(form.kind);
      const successor = successors.get(outdated[index]?.name ?? '') ?? kept;
      if ('kind' in successor) return successor;
      const bytes = replaceWrapped(form.bytes, successor);
      return { kind: 'converted', value: inFormOf(values[index]?.stored, bytes) };
    });
  };
}

/** The successors of a page's headers: those that are remembered, and the others from the service. */
async function successorsOf(
  outdated: readonly (Outdated | undefined)[],
  run: Rewrapping,
  suffices: number | undefined,
  remembered: ReturnType<typeof recent<Successor>>,
): Promise<Map<string, Successor>> {
  const successors = new Map<string, Successor>();
  const unknown = new Map<string, Outdated>();
  for (const one of outdated) {
    const successor = one && remembered.get(one.name);
    if (successor) successors.set(one.name, successor);
    else if (one) unknown.set(one.name, one);
  }
  const asked = Array.from(unknown.values());
  const answers = await run.calls.rewrap(asked);
  await Promise.all(
    asked.map(async (one, index) => {
      const successor = await successorOf(one, answers[index], run, suffices);
      successors.set(one.name, successor);
      if (!('kind' in successor)) remembered.set(one.name, successor);
    }),
  );
  return successors;
}

async function successorOf(
  { header, wrapContext }: Outdated,
  answer: Settled<Rewrapped> | undefined,
  { keyVersions, proof }: Rewrapping,
  suffices: number | undefined,
): Promise<Successor> {
  if (!answer?.ok) return { kind: 'failed', error: answer?.error ?? reason('invalid_response') };
  const { key_id: keyId, key_version: keyVersion, wrapped_key } = answer.value;
  if (suffices === undefined) keyVersions[keyId] = Math.min(keyVersion, keyVersions[keyId] ?? keyVersion);
  else if (keyVersion < suffices) return failedWith('key_version');
  const after = { keyId, keyVersion, wrappedKey: fromBase64(wrapped_key) };
  if (keyVersion === header.keyVersion && wrapped_key === toBase64(header.wrappedKey)) return kept;
  return (await proof?.sameDataKey(header, after, wrapContext)) ?? after;
}
