export function nearestOf(known: Iterable<string>, name: string): string | undefined {
  const [nearest] = Array.from(known, (candidate) => ({
    candidate,
    distance: distanceOf(candidate.toLowerCase(), name.toLowerCase()),
  }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, candidate.length / 2.5))
    .sort((a, b) => a.distance - b.distance);
  return nearest?.candidate;
}

function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
