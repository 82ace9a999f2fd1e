/** Asks whether a misspelled name was meant to be a known one, or says `otherwise` if none is similar. */
export function suggestion(name: string, known: Iterable<string>, otherwise = ''): string {
  const near = nearestOf(known, name);
  return near === undefined ? otherwise : `: did you mean \`${near}\`?`;
}

/** Returns the name that is most similar to a misspelled one, if one is similar enough. */
export function nearestOf(known: Iterable<string>, name: unknown): string | undefined {
  let nearest: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    const distance = distanceOf(candidate.toLowerCase(), String(name).toLowerCase());
    if (distance < least && distance <= Math.max(2, candidate.length / 2.5)) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

/** The Levenshtein distance. Each step computes one row of the table from the row before. */
function distanceOf(a: string, b: string): number {
  let row = Array.from(`${b} `, (_, at) => at);
  for (const one of a) {
    let left = Infinity;
    row = row.map((above, at) => {
      const diagonal = (row[at - 1] ?? Infinity) + Number(one !== b[at - 1]);
      left = Math.min(above + 1, left + 1, diagonal);
      return left;
    });
  }
  return row.at(-1) as number;
}
