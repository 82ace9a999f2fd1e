let isFirst = true;

/** Returns true on the first call only. The browser sets the initial focus on the first page by itself. */
export function isFirstPage(): boolean {
  const was = isFirst;
  isFirst = false;
  return was;
}
