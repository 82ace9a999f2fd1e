let isFirst = true;

/** Returns true once. The browser itself sets the focus of a page that it has loaded. */
export function isFirstPage(): boolean {
  const was = isFirst;
  isFirst = false;
  return was;
}
