import { refuseStatement as refuse } from '@eaas/sdk/internal';
import { type Model, targetOf } from './models.ts';
import { entriesOf, isArgs } from './values.ts';
import { refuseIndexColumn, refuseUnknown, type Work } from './work.ts';

export function refuseEncrypted(model: Model, column: unknown, what: string): void {
  const name = String(column);
  refuseIndexColumn(model, name);
  if (!model.encrypted.has(name)) return;
  const problem = `\`${what}\` has no meaning for ciphertexts`;
  const remedy = 'use a column that is not encrypted, or do it after reading the rows';
  refuse('not_supported', { table: model.name, column: name }, problem, remedy);
}

export function refuseOrder(work: Work, model: Model, order: unknown): void {
  for (const item of [order].flat()) {
    if (!isArgs(item)) continue;
    for (const [name, value] of entriesOf(item)) {
      const target = targetOf(work.models, model, name);
      if (target) refuseRelationOrder(work, target, value);
      else if (aggregates.has(name)) refuseAggregate(model, name, value);
      else if (model.columns.has(name)) refuseEncrypted(model, name, 'orderBy');
      else refuseUnknown(model, name, '`orderBy`');
    }
  }
}

const aggregates = new Set(['_count', '_min', '_max', '_avg', '_sum']);

function refuseRelationOrder(work: Work, target: Model, order: unknown): void {
  if (isArgs(order) && Object.keys(order).every((name) => name === '_count')) return;
  refuseOrder(work, target, order);
}

export function refuseAggregate(model: Model, name: string, selection: unknown): void {
  if (!isArgs(selection)) return;
  for (const [column] of entriesOf(selection)) {
    if (name === '_count') refuseIndexColumn(model, column);
    else refuseEncrypted(model, column, name);
  }
}

/** Refuses encrypted columns in `having` and `cursor`, also within `AND` and within a compound key. */
export function refuseEncryptedIn(model: Model, given: unknown, what: string): void {
  for (const item of [given].flat()) {
    if (!isArgs(item)) continue;
    for (const [name, value] of entriesOf(item)) {
      if (model.columns.has(name)) refuseEncrypted(model, name, what);
      else if (typeof value === 'object') refuseEncryptedIn(model, value, what);
      else refuseUnknown(model, name, `\`${what}\``);
    }
  }
}
