import { read } from './markdown.ts';

export const alertTests = ['alerts', 'slow-alerts'].map(
  (name) => `packages/server/test/observability/${name}.test.yml`,
);

const rule =
  /^ {6}- alert: (\w+)\n {8}expr: (?:>-\n)?([^]*?)\n(?: {8}for: \w+\n)? {8}labels:\n {10}severity: (\w+)\n {8}annotations:\n {10}summary: (.+)\n {10}runbook: (.+)$/gm;

export const alerts = Array.from(
  read('examples/observability/alerts.yml').matchAll(rule),
  ([, name = '', expression = '', severity = '', summary = '', runbook = '']) => ({
    name,
    expression: expression.replaceAll(/\s+/g, ' ').trim(),
    severity,
    summary,
    runbook,
  }),
);
