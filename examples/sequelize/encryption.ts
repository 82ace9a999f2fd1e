// Makes Sequelize encrypt what it saves, and decrypt what it has saved or found. Copy this file into the app.
//
// - Writes of encrypted columns by `Model.update`, `upsert`, `updateOnDuplicate` or `individualHooks` throw: a ciphertext is bound to
//   the id of its row.
// - Raw queries, and rows with `raw: true`, stay encrypted: use `decryptRows`. With `attributes`, also read `id`.
// - A row whose `save` failed holds ciphertexts, and saving it again throws: `reload` it, or build it anew.
// - A model's own `afterSave` and `afterFind` run before these hooks, so they see ciphertexts.
// - List timestamps with `unencrypted`. TEXT refuses dates and objects, unless you save them with `validate: false`.
// - The columns are text. To convert a `bytea` column, `alter … type text using encode(…, 'base64')`.
import type { FieldsDefinition, Records, FieldsTables } from '@eaas/sdk/fields';
import { Model, type ModelStatic, type Sequelize } from 'sequelize';

type Values = Readonly<Record<string, unknown>>;
type Code = (table: string, rows: readonly Values[], idOf: (row: Values) => unknown) => Promise<Values[]>;

/** The options of a hook that are read or changed here. */
interface Options {
  readonly model?: ModelStatic<Model>;
  readonly attributes?: Values;
  readonly updateOnDuplicate?: readonly PropertyKey[] | undefined;
  fields?: PropertyKey[] | undefined;
  validate?: boolean | undefined;
}

/** Adds the hooks. The tables of the definition are named like those of the models, and their rows have the id `id`. */
export function addEncryption<T extends FieldsTables>(
  sequelize: Sequelize,
  definition: FieldsDefinition<T>,
  records: Records<T>,
): void {
  const { tables } = definition;
  const { encryptRows, decryptRows } = records as unknown as { encryptRows: Code; decryptRows: Code };
  const described = definition.describe();

  /** Encrypts or decrypts values of rows in place, without a change for Sequelize. */
  async function replace(rows: readonly Model[], code: Code, names?: readonly PropertyKey[]): Promise<void> {
    for (const table of Object.keys(tables)) {
      const own = rows.filter(({ constructor }) => (constructor as ModelStatic<Model>).tableName === table);
      const isMeant = (name: string) => name === 'id' || !names || names.includes(name);
      const given = own.map(({ dataValues }): Values =>
        Object.fromEntries(Object.entries(dataValues as Values).filter(([name]) => isMeant(name))),
      );
      const made = await code(table, given, ({ id }) => id);
      for (const [at, values] of made.entries()) {
        const changed = Object.entries(values).filter(([name, value]) => value !== given[at]?.[name]);
        own[at]?.set(Object.fromEntries(changed), { raw: true });
      }
    }
  }

  async function seal(rows: readonly Model[], options: Options): Promise<void> {
    if (options.updateOnDuplicate) refuse(options, options.updateOnDuplicate);
    const { fields = [] } = options;
    const indexes = rows.flatMap((row) => indexesOf(row, fields));
    // A fingerprint of several fields is made from all of them.
    const encrypted = new Set([...fields, ...indexes.flatMap(({ of }) => of)]);
    await replace(rows, encryptRows, [...encrypted]);
    options.fields = [...new Set([...encrypted, ...indexes.map(({ column }) => column)])];
  }

  /** The indexes that have fingerprints of one of the fields. */
  function indexesOf({ constructor }: Model, fields: readonly PropertyKey[]) {
    const { indexes = [] } = described[(constructor as ModelStatic<Model>).tableName] ?? {};
    return indexes.filter(({ of }) => of.some((name) => fields.includes(name)));
  }

  /** Refuses to write encrypted columns of rows whose ids are not known. */
  function refuse({ model }: Options, names: readonly PropertyKey[]): void {
    const own = (tables as Readonly<Record<string, Values>>)[model?.tableName ?? ''];
    if (own && !names.every((name) => 'unencrypted' in Object(own[String(name)]))) {
      throw new TypeError(
        `${model?.tableName}: a ciphertext is bound to its row, so save each row by itself`,
      );
    }
  }

  sequelize.addHook('beforeSave', async (row: Model, options: Options) => {
    await seal([row], options);
    // Sequelize has validated the values, and would now validate the ciphertexts.
    options.validate = false;
  });
  sequelize.addHook('beforeBulkCreate', seal);
  sequelize.addHook('beforeBulkUpdate', (given: Options) =>
    refuse(given, Object.keys({ ...given.attributes })),
  );
  sequelize.addHook('beforeUpsert', (values, options) => refuse(options as Options, Object.keys(values)));
  sequelize.addHook('afterSave', (row, { fields }: Options) => replace([row], decryptRows, fields));
  sequelize.addHook('afterBulkCreate', (rows, { fields }: Options) => replace(rows, decryptRows, fields));
  sequelize.addHook('afterFind', (found) => replace(rowsIn(found), decryptRows));
}

/** The rows of a result, with those that `include` read. */
function rowsIn(found: unknown): Model[] {
  if (Array.isArray(found)) return found.flatMap(rowsIn);
  return found instanceof Model ? [found, ...Object.values(found.dataValues as Values).flatMap(rowsIn)] : [];
}
