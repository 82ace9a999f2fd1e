/** Prints a duration. Tests do not assert durations, because durations depend on the load of the machine. */
export function reportDuration(what: string, milliseconds: number): void {
  process.stdout.write(`${what}: ${Math.round(milliseconds)} ms\n`);
}
