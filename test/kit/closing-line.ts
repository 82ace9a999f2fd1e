import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Says after a run what was missing, and how many tests passed. If the run fails although no test failed, one is counted as
 * failed. The regular expression `TEST_MAY_LACK` says what software may be missing: then tests that lack anything else fail.
 */
export class ClosingLine implements Reporter {
  private passed = 0;
  private failed = 0;
  private skipped = 0;
  private readonly notAvailable = new Map<string, number>();

  onInit(): void {
    process.once('exit', (code) => {
      const mayLack = process.env['TEST_MAY_LACK'];
      for (const [what, count] of this.notAvailable) {
        const tests = `${count} ${count === 1 ? 'test' : 'tests'}`;
        process.stdout.write(`not available: ${what} (${tests})\n`);
        if (mayLack !== undefined && !new RegExp(`^(?:${mayLack})$`).test(what)) this.failed += count;
      }
      if (this.failed > 0) process.exitCode = 1;
      const failed = code === 0 ? this.failed : Math.max(this.failed, 1);
      process.stdout.write(`${this.passed} passed, ${failed} failed, ${this.skipped} skipped\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    Object.assign(this, { passed: 0, failed: unhandledErrors.length, skipped: 0 });
    this.notAvailable.clear();
    for (const module of modules) this.count(module);
  }

  private count(module: TestModule): void {
    let failed = 0;
    for (const test of module.children.allTests()) {
      const result = test.result();
      const { state } = result;
      if (result.state === 'skipped' && result.note) {
        process.stdout.write(`skipped: ${test.name}: ${result.note}\n`);
      }
      const needed = softwareOf(test);
      if (needed !== undefined && state === 'skipped') {
        this.notAvailable.set(needed, (this.notAvailable.get(needed) ?? 0) + 1);
      } else if (state === 'passed') {
        this.passed += 1;
      } else if (state === 'skipped') {
        this.skipped += 1;
      } else {
        failed += 1;
      }
    }
    this.failed += failed === 0 && module.state() === 'failed' ? 1 : failed;
  }
}

function softwareOf({ parent }: TestCase): string | undefined {
  for (let suite = parent; suite.type === 'suite'; suite = suite.parent) {
    const { needs } = suite.meta();
    if (needs !== undefined) return needs;
  }
  return undefined;
}
