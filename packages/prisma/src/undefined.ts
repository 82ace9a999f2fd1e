import { refuse } from './error.ts';
import type { Model } from './models.ts';
import { isArgs } from './values.ts';

export function refuseUndefined(model: Model, value: unknown, name = 'arguments'): void {
  if (value === undefined) {
    const problem = `\`${name}\` is undefined`;
    refuse('unknown_argument', { model: model.name }, problem, 'leave it out, or use null');
  }
  if (Array.isArray(value)) for (const item of value) refuseUndefined(model, item, name);
  if (isArgs(value)) for (const [key, member] of Object.entries(value)) refuseUndefined(model, member, key);
}
