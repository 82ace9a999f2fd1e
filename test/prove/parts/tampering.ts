import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Part } from '../trial.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Report {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function runTests(folder: string, file: string): Promise<Report> {
  const args = ['vitest', 'run', folder, '--reporter=json', `--outputFile=${file}`];
  await new Promise<void>((resolve) => {
    execFile('npx', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, () => resolve());
  });
  return JSON.parse(await readFile(file, 'utf8')) as Report;
}

export const tampering: Part = {
  name: 'tampering',
  about: 'whatever an attacker with the database changes is named by verify',
  trials: [
    {
      name: 'suite',
      about:
        'the tests in packages/server/test/tampering: each field, row and end of the log changed, removed, inserted and put back',
      limit: 300,
      async run(findings) {
        const directory = await findings.newDirectory();
        const report = await runTests('packages/server/test/tampering', join(directory, 'report.json'));
        findings.try('test of one kind of tampering', report.numTotalTests);
        const failed = report.testResults
          .flatMap(({ assertionResults }) => assertionResults)
          .filter(({ status }) => status === 'failed')
          .map(({ fullName }) => fullName);
        findings.check('all tests of packages/server/test/tampering pass', failed.length === 0, failed);
        const enough = report.numPassedTests >= 200;
        findings.check(
          'at least 200 tests of packages/server/test/tampering pass',
          enough,
          `${report.numPassedTests}`,
        );
      },
    },
  ],
};
