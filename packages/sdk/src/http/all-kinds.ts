// Loads the kinds of the responses that pages do not get, before the first such call.
import type { Route } from '@eaas/protocol/wire';
import { load, once } from '../errors.ts';
import { ofPages } from './outputs.ts';

const loadAllKinds = once(async () => {
  const json = import('./output-kinds.json', { with: { type: 'json' } });
  return (await load('the administration', json)).default;
});

export const loadKinds = async (route: Route) => (route in ofPages ? ofPages : loadAllKinds());
