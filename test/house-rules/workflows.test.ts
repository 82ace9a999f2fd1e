import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { files } from './files.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflows = files
  .filter(({ path }) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path))
  .map(({ path, text, lines }) => ({ path, text, lines, workflow: parse(text) as Workflow }));

const jobs = workflows.flatMap(({ path, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({
    place: `${path}: ${name}`,
    job,
    permissions: job.permissions ?? workflow.permissions,
  })),
);

interface Manifest {
  readonly workspaces?: readonly string[];
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}
const manifestIn = (folder: string): Manifest =>
  JSON.parse(files.find(({ path }) => path === posix.join(folder, 'package.json'))?.text ?? '{}');
const workspaces = manifestIn('').workspaces ?? [];

const commandsOf = ({ steps }: Job): string => steps.map(({ run = '' }) => run).join('\n');
const uses = (job: Job, action: string): Step[] =>
  job.steps.filter((step) => step.uses?.startsWith(`${action}@`));

test('every action is named by a full commit, with its version beside it', () => {
  const actions = workflows.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (/\buses:/.test(line) ? [{ place: `${path}:${index + 1}`, line }] : [])),
  );
  expect(actions.length).toBeGreaterThan(3);
  const pinned = /\buses: [\w.-]+\/[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/;
  expect(actions.filter(({ line }) => !pinned.test(line)).map(({ place }) => place)).toEqual([]);
});

test('every job says what its token may do, and no checkout keeps the token', () => {
  expect(jobs.filter(({ permissions }) => permissions === undefined).map(({ place }) => place)).toEqual([]);
  const keeping = jobs.filter(({ job }) =>
    uses(job, 'actions/checkout').some((step) => step.with?.['persist-credentials'] !== false),
  );
  expect(keeping.map(({ place }) => place)).toEqual([]);
});

test('a job that runs the code of dependencies has no secret, and its token can only read', () => {
  const running = jobs.filter(({ job }) =>
    /npm (?:ci|install)(?!.*--ignore-scripts)|\.ci\/run|npm (?:test|start|run|pack)/.test(commandsOf(job)),
  );
  expect(running.length).toBeGreaterThanOrEqual(6);
  for (const { place, job, permissions } of running) {
    expect({ place, permissions }).toEqual({ place, permissions: { contents: 'read' } });
    expect({ place, text: JSON.stringify(job) }).not.toMatchObject({
      text: expect.stringMatching(/secrets\.|github\.token|GITHUB_TOKEN|"environment"/) as string,
    });
  }
});

test('one job runs every unit and slow test, and fails if it lacks software other than what it names', () => {
  const complete = jobs.filter(({ job }) => commandsOf(job).includes('npm run test:all'));
  expect(complete.map(({ place }) => place)).toEqual(['.github/workflows/ci.yml: all']);
  expect(complete[0]?.job.steps.at(-1)).toEqual({
    run: 'npm run test:all',
    env: { TEST_MAY_LACK: 'the root account|Citus|OpenBao .*' },
  });
});

test.each(['model', 'prove', 'prove -- breaks', 'prove -- citus'])(
  '`npm run %s` runs every week',
  (command) => {
    const weekly = workflows.filter(({ workflow }) => 'schedule' in workflow.on);
    const commands = weekly.flatMap(({ workflow }) => Object.values(workflow.jobs).map(commandsOf));
    expect(commands.join('\n').split('\n')).toContain(`npm run ${command}`);
  },
);

test('the share of drawn faults that is noticed each week stays in the summary of its run, also if it is too small', () => {
  const { job } = jobs.find(({ place }) => place === '.github/workflows/weekly.yml: drawn') ?? {};
  const [draw, keep] = job?.steps.slice(-2) ?? [];
  // Without the option `pipefail` of this shell, the step would pass whatever is noticed.
  expect(draw).toEqual({ run: 'npm run prove -- drawn 60 | tee drawn.txt', shell: 'bash' });
  expect(keep).toMatchObject({
    if: 'always()',
    run: expect.stringMatching(/drawn\.txt >> "\$GITHUB_STEP_SUMMARY"$/),
  });
});

test('the run of CI is the one of CONTRIBUTING: npm ci, the check, the budget of a wrap, the tests', () => {
  const lines = files.find(({ path }) => path === '.ci/run')?.lines ?? [];
  expect(lines.slice(-4)).toEqual(['npm ci', 'npm run check', 'npm run budget', 'npm test']);
});

test('no workflow has a token of npm', () => {
  expect(workflows.filter(({ text }) => /NPM_TOKEN|NODE_AUTH_TOKEN|_authToken/.test(text))).toEqual([]);
});

const able = jobs.filter(({ permissions }) => permissions?.['id-token'] !== undefined);

test('only one job can deploy the documentation: it has one step, which is of GitHub', () => {
  const { job, permissions } = able.find(({ place }) => place === '.github/workflows/docs.yml: deploy') ?? {};
  expect(permissions).toEqual({ pages: 'write', 'id-token': 'write' });
  expect(job?.environment).toBe('github-pages');
  expect(job?.steps).toMatchObject([{ uses: expect.stringMatching(/^actions\/deploy-pages@/) as string }]);
  expect(job?.steps[0]?.run).toBeUndefined();
});

test('only one job can publish: it installs nothing, and sends the tarballs of the job that built and tested', () => {
  const publishing = '.github/workflows/release.yml: publish';
  expect(able.map(({ place }) => place)).toEqual(['.github/workflows/docs.yml: deploy', publishing]);
  const { job, permissions } = able.find(({ place }) => place === publishing) ?? {};
  if (!job) throw new Error('the workflow has no job that publishes');
  expect(permissions).toEqual({ 'id-token': 'write' });
  expect([job.needs].flat()).toEqual(['build']);
  expect(job.environment).toBe('npm');
  expect(uses(job, 'actions/checkout')).toEqual([]);
  expect(uses(job, 'actions/download-artifact')).toHaveLength(1);
  const commands = commandsOf(job);
  expect(commands).not.toMatch(/npm (?:ci|install|i|run|exec|test|pack)\b|npx|\bnode\b/);
  const lines = commands.match(/^.*\bnpm publish\b.*$/gm) ?? [];
  expect(lines.length).toBeGreaterThan(0);
  expect(commands).toContain('for name in $NAMES;');
  for (const line of lines) expect(line).toMatch(/npm publish --ignore-scripts --provenance .*tarball/);
});

test('the workspaces name what is published, in its order: each package below packages/, and nothing else', () => {
  const published = workspaces.filter((folder) => folder.startsWith('packages/'));
  expect(workspaces.filter((folder) => !manifestIn(folder).private)).toEqual(published);
  const dependencies = published.map((folder) => Object.keys(manifestIn(folder).dependencies ?? {}));
  const late = (name: string, at: number) => published.indexOf(name.replace('@eaas', 'packages')) > at;
  expect(dependencies.flatMap((names, at) => names.filter((name) => late(name, at)))).toEqual([]);
});

test('the job that announces makes one release for each published package, and takes nothing by a pattern', () => {
  const { job } = jobs.find(({ place }) => place === '.github/workflows/release.yml: announce') ?? {};
  if (!job) throw new Error('the workflow has no job that announces');
  expect([job.needs].flat()).toEqual(['build', 'publish']);
  expect(commandsOf(job)).toContain('for name in $NAMES;');
  expect(commandsOf(job)).toContain('--notes-file "./$name.md"');
  expect(commandsOf(job)).not.toContain('*');
});
