import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import type { Service } from '../service.ts';
import { changeKey } from './change-key.ts';
import { requireStatus } from './require-key.ts';

/** POST /v1/keys/:key_id/disable. What the key sealed can still be opened. */
export function disableKey(
  service: Service,
  caller: Caller,
  { key_id }: Input<'POST /v1/keys/:key_id/disable'>,
): Promise<Output<'POST /v1/keys/:key_id/disable'>> {
  return changeKey(service, caller, key_id, 'key.disable', async (_change, row) => {
    requireStatus(row, 'active');
    return { columns: { status: 'disabled' } };
  });
}

/** POST /v1/keys/:key_id/enable. */
export function enableKey(
  service: Service,
  caller: Caller,
  { key_id }: Input<'POST /v1/keys/:key_id/enable'>,
): Promise<Output<'POST /v1/keys/:key_id/enable'>> {
  return changeKey(service, caller, key_id, 'key.enable', async (_change, row) => {
    requireStatus(row, 'disabled');
    return { columns: { status: 'active' } };
  });
}
