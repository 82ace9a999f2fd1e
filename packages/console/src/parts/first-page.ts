let isFirst = true;

export function isFirstPage(): boolean {
  const was = isFirst;
  isFirst = false;
  return was;
}
