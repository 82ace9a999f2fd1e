/** What the program's exit code says, and `--help` explains. */
export const exitCodes = {
  ok: 0,
  refused: 1,
  usage: 2,
  cannotStart: 3,
  unexpected: 4,
} as const;

type Reason = keyof typeof exitCodes;

const meanings: Readonly<Record<Reason, string>> = {
  ok: 'done',
  refused: 'refused, or an audit chain that does not hold',
  usage: 'the command is not understood',
  cannotStart: 'the configuration or the database cannot be used',
  unexpected: 'an error of the program itself',
};

/** The table of `--help`. */
export function explainExitCodes(): string {
  const lines = Object.entries(exitCodes).map(([reason, code]) => `  ${code}  ${meanings[reason as Reason]}`);
  return `Exit codes:\n${lines.join('\n')}`;
}
