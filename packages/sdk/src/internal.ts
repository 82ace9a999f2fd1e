// What other packages of this repository need of the SDK, and apps do not, by who needs it. It can change in any version.
// test/house-rules counts the names: before you add one, see whether a type can be had of a function that is here.

// The adapters: the core, what they tell it, and what it asks of the database.
export type { Condition, CoreTable, Sealed, Statement, TableSource, Unsealed } from './fields/adapter.ts';
export { boundColumn, coreOf, isOfPerson, nearMisses, personColumns, withPartners } from './fields/core.ts';
// They refuse what they cannot encrypt, and know the ids of rows, handles of concealed columns, values in an older form, and raw SQL.
export { refuseStatement } from './fields/encrypted-table-error.ts';
export { isSameId, storedId } from './fields/stored-id.ts';
export { clientOf, heldIn } from './fields/concealed.ts';
export { withoutHandles, withoutOwn } from './fields/write-concealed.ts';
export { writesOlder } from './fields/older-form.ts';
export { isNamed, withoutTexts } from './fields/raw-sql.ts';
// They give models and tables the types of a definition.
export type { Bound } from './fields/field.ts';
export type { InputOf, ReadOf } from './fields/row-types.ts';
// TypeScript names them in the declarations of an app that exports a field, and finds them here.
export type { Concealable, Concealing, LowEntropyField, SearchableField, TextField } from './fields/field.ts';
export type { RangeIndex } from './fields/range-rules.ts';
// Drizzle alone: the options of `encryptedTable`, `eq` on an encrypted column, the type of `matches`.
export { requireOptions } from '@eaas/protocol/internal';
export { indexOf } from './fields/compared.ts';
export type { WithFieldsQuery } from './fields/with-fields.ts';
// Prisma alone: which written rows need an id or a person, and the types of results by `onError` and of models without indexes.
export type { IndexColumns } from './fields/row-types.ts';
export type { SubstituteOf, Throwing, ThrowingUnlessErased } from './fields/field-error.ts';

// Migrate: reads a definition as the SDK does, and the table behind an adapter's one.
export { lasting, planIn, requireField, subjectOfRow } from './fields/plan.ts';
export { failIn } from './fields/field-error.ts';
export { Bounded } from './bounded.ts';
export { csvCell } from './audit/report.ts';
// Migrate and the files command: the second halves of a client.
export { inside } from './client/inside.ts';
// The files command: unwraps the data key of a file as a client does.
export { unwrapBy } from './stream/wrapping.ts';

// The command line, with `--remote`: calls by their route.
export { callTo } from './http/call-to.ts';
// The command line and the console: reports on a person, as the SDK writes them.
export { reportCsv, reportRow } from './audit/report.ts';
