import type { Wrapped } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { isSubjectWrapped, replaceWrapped } from '@eaas/protocol/internal';
import { type DataKeyOf, type ValueCalls, ConversionError, type Convert, unsuitable } from './convert.ts';
import { type RewrapPlan, settingFor } from './plan.ts';
import { withoutNobody } from '../options/people.ts';
import { type ParsedCiphertext, formOf, inFormOf, isIntake, type StoredRow } from './store.ts';
import { type Proof, Recent } from './verify.ts';

/**
 * Values with the same data key get the same new wrapped key, so that one unwrap is still enough to decrypt all of
 * them.
 */
export function rewrapping<Row extends StoredRow>(
  plan: RewrapPlan<Row>,
  calls: ValueCalls,
  proof: Proof | undefined,
  keyVersions: Record<string, number>,
): Convert<Row> {
  const rewrapped = new Recent<Wrapped | undefined>();

  async function rewrap({ bytes, header }: ParsedCiphertext, of: DataKeyOf): Promise<Wrapped | undefined> {
    const { key_id: keyId, key_version: keyVersion, wrapped_key } = await calls.rewrap(bytes, of);
    const known = keyVersions[keyId] ?? keyVersion;
    if (plan.keyVersion === undefined) keyVersions[keyId] = Math.min(keyVersion, known);
    else if (keyVersion < plan.keyVersion) throw new ConversionError('key_version');
    if (keyVersion === header.keyVersion && wrapped_key === toBase64(header.wrappedKey)) return undefined;
    const after = { keyId, keyVersion, wrappedKey: fromBase64(wrapped_key) };
    await proof?.requireSameDataKey(header, after, of);
    return after;
  }

  return async (value) => {
    const form = formOf(value.stored);
    if (!('header' in form)) throw unsuitable(form.kind);
    const { keyId, keyVersion, length } = form.header;
    if (plan.keyVersion !== undefined) keyVersions[keyId] = plan.keyVersion;
    if (keyVersion >= (keyVersions[keyId] ?? Infinity) && !isIntake(form.header)) return undefined;
    const wrapContext = settingFor(plan.wrapContext, value);
    const named = settingFor(plan.subject, value);
    const takesSubject = isSubjectWrapped(form.header.wrappedKey) || isIntake(form.header);
    const of = withoutNobody({ wrapContext, subject: takesSubject ? named : undefined });
    const name = `${toBase64(form.bytes.subarray(4, length))} ${JSON.stringify(of)}`;
    const wrapped = await rewrapped.getOrAdd(name, () => rewrap(form, of));
    return wrapped && inFormOf(value.stored, replaceWrapped(form.bytes, wrapped));
  };
}
