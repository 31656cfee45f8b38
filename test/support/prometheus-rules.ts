import type { Alert } from '../../src/domain/alerts/condition.js';

/** deploy/prometheus/rules.yml, out of the definitions of the alerts. */
export function prometheusRules(alerts: readonly Alert[]): string {
  return `# Alerts on Tallyhook's metrics. Prometheus reads each process's /metrics (the console's port, else METRICS_PORT) under job="tallyhook".
# Every alert has its section in docs/runbook.md; rules.test.yml has each of them fire.
# Made of src/domain/alerts/: UPDATE_RULES=1 npx vitest run test/deploy/metrics.test.ts
groups:
  - name: tallyhook
    rules:
${alerts.map(ruleOf).join('')}`;
}

function ruleOf({ name, severity, runbook, summary, remedy, rule }: Alert): string {
  const expr = typeof rule.expr === 'string' ? quoted(rule.expr) : ['|-', ...rule.expr].join('\n          ');
  const lines = [
    `  - alert: ${name}`,
    `    expr: ${expr}`,
    ...(rule.for === undefined ? [] : [`    for: ${rule.for}`]),
    '    labels:',
    `      severity: ${severity}`,
    '    annotations:',
    `      summary: ${quoted(rule.by === undefined ? summary : `${summary}: {{ $labels.${rule.by} }}`)}`,
    `      description: ${quoted(remedy)}`,
    `      runbook_url: docs/runbook.md#${runbook}`,
  ];
  return lines.map((line) => `    ${line}\n`).join('');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
