export function reportDuration(what: string, milliseconds: number): void {
  process.stdout.write(`${what}: ${Math.round(milliseconds)} ms\n`);
}
