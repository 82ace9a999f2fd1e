// SQL that the app wrote itself: it must not name the table of an encrypted model.
import { isNamed, refuseStatement as refuse, withoutTexts } from '@eaas/sdk/internal';
import type { Models } from './models.ts';
import { isArgs } from './values.ts';

export function refuseRaw(models: Models, operation: string, args: unknown): void {
  const statement = statementOf(args);
  if (!operation.startsWith('$') || statement === undefined) {
    const remedy = 'use the client without the extension';
    refuse('unknown_argument', {}, `the operation \`${operation}\` is not supported`, remedy);
  }
  const code = withoutTexts(statement);
  for (const model of models.values()) {
    if (!model.core || !isNamed(model.stored, code, model.isQuoted)) continue;
    const problem =
      'raw SQL must not name the table of this model, because the extension cannot encrypt raw SQL';
    const remedy =
      'use the client without the extension, with `encryptRow`, `where` and `decryptRows` of the fields';
    refuse('not_supported', { table: model.name }, problem, remedy);
  }
}

function statementOf(args: unknown): string | undefined {
  if (Array.isArray(args)) return typeof args[0] === 'string' ? args[0] : statementOf(args[0]);
  if (typeof args !== 'object' || args === null) return undefined;
  const { strings, sql } = args as { strings?: unknown; sql?: unknown };
  if (Array.isArray(strings)) return strings.join(' ');
  if (typeof sql === 'string') return sql;
  return isArgs(args) && 'query' in args && typeof args['query'] === 'string' ? args['query'] : undefined;
}
