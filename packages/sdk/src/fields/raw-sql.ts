/** Whether SQL that an app wrote itself names a table, for the adapters that refuse it. */
export function isNamed(table: string, statement: string): boolean {
  const quoted = table.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${quoted}(?![\\p{L}\\p{N}_])`, 'iu').test(statement);
}
