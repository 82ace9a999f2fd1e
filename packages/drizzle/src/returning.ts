import {
  copyOf,
  type Builder,
  type BuilderConfig,
  execute,
  type SelectedField,
  sourcesOf,
} from './builder.ts';
import { isIndexColumn } from './encryption.ts';
import { openRows, planOpening } from './opening.ts';
import { type KnownColumns, requirePlainFields, requirePlainWrites } from './plain-fields.ts';
import type { Row } from './records.ts';
import { rewriteAll } from './rewrite.ts';
import type { RewriteContext } from './search.ts';

export async function runReturning(
  builder: Builder,
  config: BuilderConfig,
  context: RewriteContext,
): Promise<unknown> {
  requireReturnable(builder.config, context.known);
  const { returning } = builder.config;
  if (!returning) return execute(copyOf(builder, config));
  const fields = returning.filter(({ field }) => !isIndexColumn(field));
  const opening = planOpening(fields, sourcesOf(builder.config), context.subqueries);
  const columns = new Set(opening.columns.map(({ column }) => column));
  const expressions = await rewriteAll(
    fields.map(({ field }) => (columns.has(field as never) ? undefined : field)),
    context,
  );
  const added = Object.entries(opening.addedIds).map(([name, field]): SelectedField => ({
    path: [name],
    field,
  }));
  const selected = fields.map(({ path, field }, at) => ({ path, field: expressions[at] ?? field }));
  const result = await execute(copyOf(builder, { ...config, returning: [...selected, ...added] }));
  await openRows(result as Row[], opening, context);
  return result;
}

export function requireReturnable(config: BuilderConfig, known: KnownColumns): void {
  requirePlainWrites(config, known);
  requirePlainFields(config.returning ?? [], sourcesOf(config), known);
}
