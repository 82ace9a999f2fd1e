import { type EaasConfig, indexKeyOf, partKeyOf, partsOf } from './encryption.ts';
import { refuse } from './error.ts';

interface EncryptedBuilder {
  readonly eaasConfig: { readonly name: string; readonly uniqueName: string | undefined } & EaasConfig;
}

const isEncryptedBuilder = (builder: object): builder is EncryptedBuilder => 'eaasConfig' in builder;

export interface IndexColumnRequest {
  readonly name: string;
  readonly isUnique: boolean;
  readonly uniqueName: string | undefined;
  readonly isList: boolean;
}

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
    const nameOf = (of: (key: string) => string): string => (name === '' ? '' : of(name));
    const parts = Object.entries(partsOf(field)).map(([part, { isList }]): [string, object] => {
      const own = (of: string): string => partKeyOf(of, part);
      return [own(key), create({ name: nameOf(own), isUnique: false, uniqueName: undefined, isList })];
    });
    if (!field.index && isUnique) {
      refuse('schema', place, 'a unique column must be searchable', 'add `.searchable()`');
    }
    const index = { name: nameOf(indexKeyOf), isUnique, uniqueName, isList: false };
    const whole: [string, object][] = field.index ? [[indexKeyOf(key), create(index)]] : [];
    const taken = [...whole, ...parts].find(([own]) => Object.hasOwn(columns, own));
    if (taken) {
      refuse('schema', place, `the index column needs the key \`${taken[0]}\``, 'rename the other column');
    }
    return [[key, builder] as [string, object]].concat(whole, parts);
  });
  return Object.fromEntries(entries);
}
