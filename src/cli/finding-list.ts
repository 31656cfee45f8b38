import { stringify } from 'lossless-json';
import type { Finding } from '../records/audit/findings.js';
import { oneLine } from './print.js';

const EVERY_MS = 200;

export interface FindingList {
  add: (finding: Finding) => void;
  progress: (at: { seal: string; rows: number }) => void;
  end(summary: object): void;
}

/** Findings are written as they are found, however many; in JSON as the first member of one object. */
export function createFindingList({ json }: { json: boolean }): FindingList {
  let count = 0;
  let shownAt = 0;
  const isTerminal = process.stderr.isTTY;
  const clear = () => isTerminal && shownAt > 0 && process.stderr.write('\r\u001b[K');
  return {
    add: (finding) => {
      clear();
      count += 1;
      if (!json) process.stdout.write(`${oneLine(finding.told)}\n`);
      else process.stdout.write(`${count === 1 ? '{"items":[' : ','}\n${stringify(finding)}`);
    },
    progress: ({ seal, rows }) => {
      if (!isTerminal || Date.now() - shownAt < EVERY_MS) return;
      shownAt = Date.now();
      process.stderr.write(`\r\u001b[Kseal ${seal}, ${rows} rows verified`);
    },
    end: (summary) => {
      clear();
      if (json) process.stdout.write(`${count === 0 ? '{"items":[' : '\n'}],${stringify(summary)?.slice(1)}\n`);
      else if (count === 0) process.stdout.write(`${toldOf(summary)}\n`);
    },
  };
}

function toldOf(summary: { seals?: number; rows?: number }): string {
  return `${summary.seals ?? 0} seals with ${summary.rows ?? 0} rows are as they were sealed`;
}
