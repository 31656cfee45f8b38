import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOM = { maxBuffer: 256 * 1_048_576 };

/** Not a skip that nobody sees: it says what was not tried. */
export async function isInstalled(program: string, flag = '--version'): Promise<boolean> {
  const found = await run(program, [flag]).then(
    () => true,
    (error: { code?: unknown }) => error.code !== 'ENOENT',
  );
  if (!found) process.stderr.write(`\n${program} IS NOT INSTALLED: its reading of our books was NOT tried\n`);
  return found;
}

/** Rejects with what hledger found wrong. */
export async function hledgerCheck(file: string): Promise<void> {
  await run('hledger', ['-f', file, 'check', '--strict'], ROOM);
}

/** What hledger makes of a journal: `account commodity` → amount. */
export async function hledgerBalances(file: string): Promise<Map<string, string>> {
  const words = ['balance', '--flat', '-N', '-E', '-O', 'csv', '--layout=bare'];
  const { stdout } = await run('hledger', ['-f', file, ...words], ROOM);
  const rows = stdout.trim().split('\n').slice(1).map(cells);
  return new Map(rows.map(([account, commodity, amount]) => [`${account} ${commodity}`, plain(amount ?? '')]));
}

/** Rejects with what beancount found wrong; answers what it said, which should be nothing. */
export async function beanCheck(file: string): Promise<string> {
  const { stdout, stderr } = await run('bean-check', ['-C', file], ROOM);
  return stdout + stderr;
}

/** What a query of beancount makes of a ledger: `account commodity` → amount. */
export async function beanBalances(file: string): Promise<Map<string, string>> {
  // As a number it would be shown with as many decimals as most have.
  const query = 'SELECT account, currency, str(sum(number)) AS total GROUP BY account, currency';
  const { stdout } = await run('bean-query', ['-f', 'csv', file, query], ROOM);
  const rows = stdout.trim().split('\n').slice(1).map(cells);
  return new Map(
    rows.map(([account, commodity, amount]) => [`${account} ${commodity}`, plain(unscientific(amount ?? ''))]),
  );
}

/** `Decimal('-1.2E-18')` as `-0.0000000000000000012`. */
function unscientific(printed: string): string {
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] =
    /(-?)(\d+)(?:\.(\d+))?(?:E([+-]\d+))?/.exec(printed) ?? [];
  const digits = whole + fraction;
  const decimals = fraction.length - Number(exponent);
  if (decimals <= 0) return sign + digits + '0'.repeat(-decimals);
  const padded = digits.padStart(decimals + 1, '0');
  return `${sign}${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`;
}

function cells(line: string): string[] {
  return line.split(',').map((cell) => cell.trim().replaceAll('"', ''));
}

/** Without the zeros at the end. */
function plain(amount: string): string {
  const digits = amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
  return digits === '-0' || digits === '' ? '0' : digits;
}
