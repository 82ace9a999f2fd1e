import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * The errors of a test that ran on a machine so busy that a time limit of the service or of a browser ended a call: the test got
 * 503, or waited too long for an element. Such a test runs once more. A wrong result and a missing refusal are never tried again.
 */
export const timeRanOut =
  /^expected (?:(?! to )[^])*\b(?:503|unavailable|audit_unwritten)\b|Timeout \d+ ?ms exceeded/;

/**
 * Says after a run what was missing, which tests ran twice, and how many passed. If the run fails although no test failed, one
 * is counted as failed.
 */
export class ClosingLine implements Reporter {
  private passed = 0;
  private failed = 0;
  private skipped = 0;
  private readonly notAvailable = new Map<string, number>();
  private readonly ranTwice: string[] = [];

  onInit(): void {
    process.once('exit', (code) => {
      const failed = code === 0 ? this.failed : Math.max(this.failed, 1);
      for (const [what, count] of this.notAvailable) {
        process.stdout.write(`not available: ${what} (${count} ${count === 1 ? 'test' : 'tests'})\n`);
      }
      for (const name of this.ranTwice) process.stdout.write(`ran twice, because time ran out: ${name}\n`);
      process.stdout.write(`${this.passed} passed, ${failed} failed, ${this.skipped} skipped\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    Object.assign(this, { passed: 0, failed: unhandledErrors.length, skipped: 0 });
    this.notAvailable.clear();
    this.ranTwice.length = 0;
    for (const module of modules) this.count(module);
  }

  private count(module: TestModule): void {
    let failed = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (test.diagnostic()?.flaky) this.ranTwice.push(`${module.relativeModuleId} > ${test.fullName}`);
      const lacking = missingSoftware(test);
      if (lacking !== undefined) this.notAvailable.set(lacking, (this.notAvailable.get(lacking) ?? 0) + 1);
      else if (state === 'passed') this.passed += 1;
      else if (state === 'skipped') this.skipped += 1;
      else failed += 1;
    }
    this.failed += failed === 0 && module.state() === 'failed' ? 1 : failed;
  }
}

function missingSoftware({ parent }: TestCase): string | undefined {
  for (let suite = parent; suite.type === 'suite'; suite = suite.parent) {
    const { notAvailable } = suite.meta();
    if (notAvailable !== undefined) return notAvailable;
  }
  return undefined;
}
