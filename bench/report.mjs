// What a suite found, as lines while it runs and as a table for docs/performance.md in the end.

/**
 * One figure. `ratio` is ours ÷ that of `to`, measured in the same run; `goal` is for the ratio where there is one, otherwise
 * for the figure itself. `most`: the goal is an upper bound.
 */
export function figure(what, value, { unit = '/s', ratio = null, to = '', goal = null, most = false } = {}) {
  const judged = ratio ?? value;
  const met = goal === null ? null : most ? judged <= goal : judged >= goal;
  return { what, value, unit, ratio, to, goal, most, met };
}

export function printFigures(title, figures) {
  process.stdout.write(`\n${title}\n`);
  const width = Math.max(...figures.map(({ what }) => what.length));
  for (const one of figures) {
    const cells = [one.what.padEnd(width), measured(one).padStart(12), ratioOf(one).padEnd(36), goalOf(one)];
    process.stdout.write(`  ${cells.join('  ').trimEnd()}\n`);
  }
}

/** For docs/performance.md. */
export function markdown(suites) {
  const rows = suites.flatMap(({ name, figures }) =>
    figures.map((one) => `| ${name} | ${one.what} | ${measured(one)} | ${ratioOf(one)} | ${goalOf(one)} |`),
  );
  return ['| suite | what | measured | ours ÷ it | goal |', '|---|---|---|---|---|', ...rows].join('\n');
}

function measured({ value, unit }) {
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })}${unit}`;
}

function ratioOf({ ratio, to }) {
  return ratio === null ? '' : `${ratio.toFixed(2)} (${to})`;
}

function goalOf({ goal, most, met }) {
  return goal === null ? '' : `${most ? '≤' : '≥'} ${goal.toLocaleString('en')} ${met ? 'met' : 'missed'}`;
}
