/** The UTC month of a time, as in 2026-11. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}
