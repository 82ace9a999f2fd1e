import { type EaasClient, EaasError } from '@eaas/sdk';

/** No key has this id, because the ids of keys are random. */
const nowhere = '00000000-0000-4000-8000-000000000000';

/**
 * Throws if the session lacks the permission `keys.destroy`. The service checks permissions before it looks for the key,
 * so this call changes nothing and writes no audit entry.
 */
export async function requireDestroy({ keys }: Pick<EaasClient, 'keys'>): Promise<true> {
  await keys.destroy({ key_id: nowhere }).catch((error: unknown) => {
    if (error instanceof EaasError && error.code === 'permission_missing') throw error;
  });
  return true;
}
