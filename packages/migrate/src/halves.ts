// Which of a client's halves stored values have. Only their data keys tell, so the service is asked once per data key.
import { deriveDataKey, parseEnvelope } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { equalBytes, isSubjectWrapped } from '@eaas/protocol/internal';
import { nodeEngine } from '@eaas/protocol/node';
import type { EaasClient } from '@eaas/sdk';
import { inside, subjectOfRow } from '@eaas/sdk/internal';
import { remembering } from './rewrap.ts';
import type { TableRow } from './rows.ts';
import type { Target } from './source.ts';

/** The members of a client that tell which half a value has. */
export type HalfClient = Partial<Pick<EaasClient, typeof inside | 'unwrap'>>;

const none = { half: 'unopened', isFirst: false };

/** Undefined for a client without halves. */
export function createHalfFinder({ plan }: Target, client: HalfClient = {}) {
  const halves = client[inside]?.halves;
  if (!halves) return undefined;
  const open = async (given: ReturnType<typeof parseEnvelope>, subject: string | undefined) => {
    const unwrap = () => (client as EaasClient).unwrap(given, subject === undefined ? {} : { subject });
    const deks = await (await halves.load()).unwrap({ keyId: given.keyId, subject }, unwrap);
    return deks.map(({ dek, half: { id } }, at) => {
      const { commitment } = deriveDataKey(nodeEngine, dek, given);
      dek.fill(0);
      return { half: id ?? 'none', isFirst: at === 0, commitment };
    });
  };

  const once = remembering<Awaited<ReturnType<typeof open>>>();

  /** Returns the id of a ciphertext's half, `none`, or `unopened` if the client has not got it. Throws the errors of `unwrap`. */
  return async function find(row: TableRow, text: string) {
    const envelope = parseEnvelope(fromBase64(text));
    const { keyId, wrappedKey, commitment } = envelope;
    const isOwned = isSubjectWrapped(wrappedKey);
    const subject = isOwned ? subjectOfRow(plan, row.person, row.id, undefined, true) : undefined;
    const name = JSON.stringify([keyId, toBase64(wrappedKey), subject]);
    const possible = await once(name, () => open(envelope, subject));
    return possible.find((one) => equalBytes(one.commitment, commitment)) ?? none;
  };
}
