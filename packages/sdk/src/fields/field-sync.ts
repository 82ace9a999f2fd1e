import { context as wrapContext, requireOptions, text as scope } from '@eaas/protocol/internal-options';
import { ciphertextIn, readPlaintext } from './decrypt-rows.ts';
import { encode } from './encrypt-rows.ts';
import { inField } from './field-error.ts';
import type { Internals, RowOptions } from './internals.ts';
import { contextOf, type FieldPlan, requireField, requireTable } from './plan.ts';
import { refuse } from './value-type.ts';

type Options = Omit<RowOptions, 'signal'>;

export function encryptFieldSync(
  internals: Internals,
  table: string,
  field: string,
  value: unknown,
  options: Options = {},
): unknown {
  requireOptions({ scope, wrapContext }, options, 'encryptFieldSync');
  const plan = fieldWithoutRow(internals, table, field);
  if (value === null || value === undefined) return value;
  return inField({ table, field, row: undefined }, () => {
    const all = { ...options, keyId: plan.keyIds?.[0], context: contextOf(plan, undefined) };
    return internals.client.encryptSync(encode(plan, value), all).ciphertext;
  });
}

export function decryptFieldSync(
  internals: Internals,
  table: string,
  field: string,
  stored: unknown,
  options: Options = {},
): unknown {
  requireOptions({ scope, wrapContext }, options, 'decryptFieldSync');
  const plan = fieldWithoutRow(internals, table, field);
  if (stored === null || stored === undefined) return stored;
  return inField({ table, field, row: undefined }, () => {
    const ciphertext = ciphertextIn(plan, stored);
    if (ciphertext === undefined) return readPlaintext(internals, plan, stored, undefined);
    const all = { ...options, keyId: plan.keyIds, context: contextOf(plan, undefined) };
    const value = plan.field.type.decode(internals.client.decryptSync(ciphertext, all));
    plan.reads.encrypted++;
    return value;
  });
}

function fieldWithoutRow({ plans }: Internals, table: string, name: string): FieldPlan {
  const plan = requireField(requireTable(plans, table), name);
  if (plan.field.context === 'field') return plan;
  return refuse(
    `each ciphertext of ${plan.place} is bound to a row, but this call has no row: use encryptRow and decryptRow, or define the field with context: 'field'`,
  );
}
