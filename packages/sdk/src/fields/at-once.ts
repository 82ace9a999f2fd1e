import { storedCiphertext } from '../stored-ciphertext.ts';
import { readPlaintext } from './decrypt-rows.ts';
import { encode } from './encrypt-rows.ts';
import { at } from './field-error.ts';
import { contextOf, type FieldPlan, requireField } from './plan.ts';
import type { RowOptions, Setting } from './setting.ts';
import { refuse } from './value-type.ts';

type Options = Omit<RowOptions, 'signal'>;

/** The ciphertext of one value, without waiting; null and undefined as they are. Throws FieldError. */
export function encryptFieldSync(
  { client, plans }: Setting,
  table: string,
  name: string,
  value: unknown,
  options: Options = {},
): unknown {
  const plan = requireFieldAlone(requireField(plans, table, name));
  if (value === null || value === undefined) return value;
  return at({ table, field: name, row: undefined }, () => {
    const context = contextOf(plan, undefined);
    return client.encryptSync(encode(plan, value), { ...options, keyId: plan.keyIds?.[0], context })
      .ciphertext;
  });
}

/** The value of one ciphertext, without waiting; null and undefined as they are. Throws FieldError. */
export function decryptFieldSync(
  { client, plans, reads }: Setting,
  table: string,
  name: string,
  stored: unknown,
  options: Options = {},
): unknown {
  const plan = requireFieldAlone(requireField(plans, table, name));
  if (stored === null || stored === undefined) return stored;
  return at({ table, field: name, row: undefined }, () => {
    const ciphertext = storedCiphertext(stored);
    const value = ciphertext === undefined ? readPlaintext(plan, stored) : open(ciphertext);
    reads.count(plan, ciphertext === undefined ? 'plaintext' : 'encrypted', undefined);
    return value;
  });

  function open(ciphertext: string | Uint8Array): unknown {
    const context = contextOf(plan, undefined);
    return plan.field.type.decode(
      client.decryptSync(ciphertext, { ...options, keyId: plan.keyIds, context }),
    );
  }
}

/** Which value of which row this is, nobody says: so it must not matter. */
function requireFieldAlone(plan: FieldPlan): FieldPlan {
  if (plan.field.context === 'field') return plan;
  return refuse(
    `${plan.place} is bound to its row, which is not known here: define it with context: 'field'`,
  );
}
