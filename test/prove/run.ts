import { randomInt } from 'node:crypto';
import { cpus } from 'node:os';
import { allBreaks, proveBreaks } from './breaks.ts';
import { parts } from './parts.ts';
import { proveDrawn } from './drawn-breaks.ts';
import { describeOutcome, type Outcome, verdictOf } from './report.ts';
import { asked, closeAll, lasting, type Part, runTrial, type Trial } from './trial.ts';

const usage = `npm run prove                   every part
npm run prove -- faults         one part, or several
npm run prove -- faults:servers one trial
npm run prove -- --list         what there is
npm run prove -- --small        the heavy parts ten times smaller, to try them out
npm run prove -- simulate 5000  one part, with so many cases
npm run prove -- simulate:ledger 1 --seed=7  repeats a seed
npm run prove -- breaks         puts faults into a copy of the sources, one at a time: do the tests notice?
npm run prove -- breaks NAME    one of them
npm run prove -- drawn 60       so many faults that a seed draws: what share do the tests notice? (--seed=N repeats)`;

interface Chosen {
  readonly part: Part;
  readonly trials: readonly Trial[];
}

function choose(names: readonly string[]): Chosen[] {
  if (names.length === 0) return parts.map((part) => ({ part, trials: part.trials }));
  return names.map((name) => {
    const [partName = '', trialName] = name.split(':');
    const part = parts.find((known) => known.name === partName);
    const trials = part?.trials.filter((trial) => trialName === undefined || trial.name === trialName);
    if (!part || !trials?.length) {
      throw new Error(`"${name}" is not the name of a part or a trial: list all names with --list.`);
    }
    return { part, trials };
  });
}

async function prove(chosen: readonly Chosen[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { part, trials } of chosen) {
    for (const trial of trials) {
      const outcome = await runTrial(part, trial);
      outcomes.push(outcome);
      console.log(`\n${describeOutcome(outcome)}`);
    }
  }
  return outcomes;
}

async function listParts(): Promise<void> {
  for (const part of parts) {
    console.log(`${part.name}: ${part.about}`);
    for (const { name, about } of part.trials) console.log(`  ${part.name}:${name}: ${about}`);
  }
  console.log(
    'drawn: puts faults that a seed draws into a copy of the sources, of which the tests must notice most',
  );
  console.log('breaks: puts faults into a copy of the sources, which the tests must notice');
  for (const { name, file } of await allBreaks()) console.log(`  breaks ${name}: ${file}`);
}

function seedOf(args: readonly string[]): number {
  const given = args.find((arg) => arg.startsWith('--seed='));
  return given === undefined ? randomInt(2 ** 31) : Number(given.slice('--seed='.length));
}

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !/^--|^\d+$/.test(arg));
  if (args.includes('--help')) console.log(usage);
  else if (args.includes('--list')) await listParts();
  else if (names[0] === 'breaks') return (await proveBreaks(names.slice(1))) ? 0 : 1;
  else if (names[0] === 'drawn') return (await proveDrawn(asked ?? 60, seedOf(args))) ? 0 : 1;
  else {
    console.log(
      `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}`,
    );
    const outcomes = await prove(choose(names));
    await lasting.close();
    const failed = outcomes.filter((outcome) => verdictOf(outcome) === 'fails');
    console.log(`\n${outcomes.length} trials, ${failed.length} failed`);
    for (const { name } of failed) console.log(`  npm run prove -- ${name}`);
    return failed.length > 0 ? 1 : 0;
  }
  return 0;
}

// If a trial kills a database, postgres.js can throw an error in a timer. No caller can catch this error.
process.on('uncaughtException', (error) => {
  if (/postgres/.test(error.stack ?? '')) return;
  console.error(error);
  process.exit(70);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closeAll().then(() => process.exit(130)));
}
process.exit(await main(process.argv.slice(2)));
