import { type EaasConfig, indexKeyOf } from './encryption.ts';
import { refuse } from './error.ts';

/** The settings in a column builder from which the index column is created. */
interface EncryptedBuilder {
  readonly eaasConfig: { readonly name: string; readonly uniqueName: string | undefined } & EaasConfig;
}

const isEncryptedBuilder = (builder: object): builder is EncryptedBuilder => 'eaasConfig' in builder;

/** A request to create an index column. */
export interface IndexColumnRequest {
  /** The name of the index column. Empty if the name is derived from the key of the column. */
  readonly name: string;
  readonly isUnique: boolean;
  readonly uniqueName: string | undefined;
}

/** Adds an index column after each searchable column. Throws EncryptedColumnError. */
export function withIndexColumns(
  table: string,
  columns: Readonly<Record<string, object>>,
  create: (request: IndexColumnRequest) => object,
): Record<string, object> {
  const entries = Object.entries(columns).flatMap(([key, builder]): [string, object][] => {
    if (!isEncryptedBuilder(builder)) return [[key, builder]];
    const { name, uniqueName, eaas } = builder.eaasConfig;
    if ('role' in eaas) return [[key, builder]];
    const { field, isUnique } = eaas;
    const place = { table, column: name === '' ? key : name };
    if (!field.index) {
      if (isUnique) refuse('schema', place, 'a unique column must be searchable', 'add `.searchable()`');
      return [[key, builder]];
    }
    const indexKey = indexKeyOf(key);
    if (Object.hasOwn(columns, indexKey)) {
      refuse('schema', place, `the index column needs the key \`${indexKey}\``, 'rename the other column');
    }
    const index = create({ name: name === '' ? '' : indexKeyOf(name), isUnique, uniqueName });
    return [
      [key, builder],
      [indexKey, index],
    ];
  });
  return Object.fromEntries(entries);
}
