let isFirst = true;

/** Returns true only on the first call. The browser sets the focus on the first page that it loads. */
export function isFirstPage(): boolean {
  const was = isFirst;
  isFirst = false;
  return was;
}
