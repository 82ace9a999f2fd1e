export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

export function fitted(points: readonly (readonly [number, number])[]): { base: number; slope: number } {
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const above = mean(points.map(([at, value]) => (at - x) * (value - y)));
  const slope = above / mean(points.map(([at]) => (at - x) ** 2));
  return { base: Math.max(0, y - slope * x), slope };
}
