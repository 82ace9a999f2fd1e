/** The names of the columns that a statement returns, for a driver that answers with what is in them. */
export function returnedColumns(statement: string): string[] {
  const [, list = ''] = /^(?:select|.* returning) (.*?)(?: from |$)/.exec(statement) ?? [];
  const columns = list.replaceAll('`', '"').split(', ');
  return columns.map((column) => (/"(\w+)"(?: as "eaas [^"]+")?$/.exec(column) ?? [])[1] ?? '');
}
