import type { EaasClient } from '@eaas/sdk';
import type { KeyRecord } from '../console/key-status.tsx';

/** The playground uses only the two keys of a tenant that have these names, and creates them itself. */
export const keyName = 'eaas playground';
export const formKeyName = 'eaas playground form';

export interface OwnKeys {
  readonly key: KeyRecord | undefined;
  readonly form: KeyRecord | undefined;
}

export interface AllOwnKeys extends OwnKeys {
  readonly key: KeyRecord;
  readonly form: KeyRecord;
}

type WithKeys = Pick<EaasClient, 'keys'>;

export async function findOwnKeys(client: WithKeys): Promise<OwnKeys> {
  const [key, form] = await Promise.all([find(client, keyName), find(client, formKeyName)]);
  return { key, form };
}

/** The newest key of a name is its only key that is not destroyed, if there is one. */
async function find({ keys }: WithKeys, name: string): Promise<KeyRecord | undefined> {
  const { keys: found } = await keys.page({ name, limit: 1 });
  return found.find(({ status }) => status !== 'destroyed');
}

export async function createMissing({ keys }: WithKeys, { key, form }: OwnKeys): Promise<AllOwnKeys> {
  return {
    key: key ?? (await keys.create({ name: keyName })),
    form: form ?? (await keys.create({ name: formKeyName, intake: true })),
  };
}

/** Returns a key that has the name of an own key but cannot be one now, because of its kind or its state. */
export function unusableOf({ key, form }: OwnKeys): KeyRecord | undefined {
  if (key && (key.status !== 'active' || key.intake)) return key;
  return form && (form.status !== 'active' || !form.intake) ? form : undefined;
}
