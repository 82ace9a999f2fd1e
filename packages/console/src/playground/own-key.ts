// The key of the playground, which never touches a key of an app.
import type { EaasClient, KeyRecord } from '@eaas/sdk';

/** The playground uses only the key of a tenant that has this name, and creates it itself. */
export const keyName = 'eaas playground';

export interface OwnKey {
  readonly key: KeyRecord | undefined;
}

/** The newest key of a name is its only key that is not destroyed, if there is one. */
export async function findOwnKey({ keys }: Pick<EaasClient, 'keys'>): Promise<OwnKey> {
  const { keys: found } = await keys.page({ name: keyName, limit: 1 });
  return { key: found.find(({ status }) => status !== 'destroyed') };
}

/** Returns the own key if the playground cannot use it now, because of its kind or its state. */
export function unusableOf({ key }: OwnKey): KeyRecord | undefined {
  return key && (key.status !== 'active' || key.intake) ? key : undefined;
}
