import type { AlertFacts } from '../../domain/alerts/facts.js';
import { counted, duration } from '../../domain/in-words.js';
import { provenWords } from '../../domain/state/proven.js';
import type { Problem } from '../../domain/state/state.js';
import { type Figures, loadFigures } from '../../records/alerts/load-state.js';
import { countCompletedPayments, type PaymentCounts } from '../../records/gauges.js';
import { replayDeadCallbacksAction } from '../actions/replay.js';
import type { Page } from '../page.js';
import { severityBadge } from '../view/break-rows.js';
import { minutesChart, spark } from '../view/chart.js';
import { notice, type Section, type Tile, table } from '../view/sections.js';
import { ago, amount, count, link, none, quiet, stack, text, type Value } from '../view/values.js';
import { rangeButton } from './deliveries.js';
import { startButton } from './runs.js';

export const overview: Page = {
  path: '/',
  title: 'Overview',
  group: '',
  live: true,
  load: async ({ db, now, state: known, runKinds }, req) => {
    const at = now();
    const midnight = new Date(Math.floor(at.getTime() / 86_400_000) * 86_400_000);
    const [{ state, facts }, figures, payments] = await Promise.all([
      known(),
      loadFigures(db, at),
      countCompletedPayments(db, midnight),
    ]);
    const isProven = state.severity === null;
    const runs = { text: 'What is proven of each kind', href: '/runs' };
    return {
      intro: 'What is to be done now, the worst first; then what is proven, and what came in.',
      actions: Object.entries(firstActions)
        .filter(([name]) => state.problems.some((one) => one.name === name && one.remedy !== ''))
        .map(([, button]) => button({ runKinds }, req)),
      sections: [
        problemsTable(state.problems, at),
        notice(isProven ? 'good' : 'quiet', provenWords(facts.kinds), balanceWords(facts.balances), runs),
        {
          is: 'tiles',
          tiles: [paymentsTile(payments), receivedTile(figures), backlogTile(facts.backlog), heldTile(figures)],
        },
        minutesChart(figures.minutes),
      ],
    };
  },
};

/** What can be done about a problem from here; where it follows from another, that one comes first. */
const firstActions: Readonly<Record<string, typeof startButton>> = {
  TallyhookMissedDeliveries: (_deps, req) => rangeButton(req),
  TallyhookDeadCallbacks: (_deps, req) => req.button(replayDeadCallbacksAction),
  KindUnproven: startButton,
};

function problemsTable(problems: readonly Problem[], now: Date): Section {
  return table(problems, {
    caption: 'What to do now',
    columns: [
      ['Severity', ({ severity }) => severityBadge(severity)],
      ['What', whatOf, 'wide'],
      ['How many', ({ count: n }) => count(n), 'end'],
      ['How much', ({ money }) => stack(money.map(({ amount: n, currency }) => amount(n, currency))), 'end'],
      ['Since', ({ seconds }) => sinceOf(seconds, now)],
      ['What to do first', ({ remedy }) => text(remedy === '' ? 'Nothing.' : remedy)],
    ],
    empty: ['Nothing is to be done', 'Nothing is known to be wrong; what is proven stands below.'],
  });
}

function whatOf({ title, detail, page, follows }: Problem): Value {
  const followers = follows.map((one) => quiet(`with it: ${one.title}`));
  return stack([link(title, page), ...(detail === title ? [] : [quiet(detail)]), ...followers]);
}

/** To the minute: a page that is open is not drawn anew for less. */
function sinceOf(seconds: number | null, now: Date): Value {
  if (seconds === null) return none('not known');
  return ago(new Date(Math.floor(now.getTime() / 60_000 - seconds / 60) * 60_000).toISOString());
}

function balanceWords({ total, unproven }: { total: number; unproven: readonly unknown[] }): string {
  return `${total - unproven.length} of ${counted(total, 'balance')} ${total === 1 ? 'is' : 'are'} proven.`;
}

function heldTile({ ordersHeld }: Figures): Tile {
  return {
    label: 'Paid orders held',
    value: String(ordersHeld),
    note: ordersHeld === 0 ? 'every paid order is released' : 'paid, and not released yet: each says why',
    href: '/orders?status=paid',
    ...(ordersHeld > 0 ? { tone: 'warn' } : {}),
  };
}

function paymentsTile({ verified, claimed }: PaymentCounts): Tile {
  return {
    label: 'Verified payments today',
    value: String(verified),
    note: claimed === 0 ? 'completed, since 00:00 UTC' : `${claimed} more said to be, not verified yet`,
    href: '/payments',
  };
}

function receivedTile({ minutes, received, rejected }: Figures): Tile {
  const perMinute = minutes.map(({ applied, waiting, notApplied }) => applied + waiting + notApplied);
  return {
    label: 'Events in the last hour',
    value: String(received),
    note: rejected === 0 ? 'no request rejected' : counted(rejected, 'request rejected', 'requests rejected'),
    href: rejected === 0 ? '/events' : '/rejections',
    ...(rejected > 0 ? { tone: 'warn' } : {}),
    spark: spark(perMinute, `Events received per minute; the highest is ${Math.max(...perMinute)}.`),
  };
}

function backlogTile({ waiting, failed, dead, oldestSeconds }: AlertFacts['backlog']): Tile {
  const parts = [...(failed > 0 ? [`${failed} tried again`] : []), ...(dead > 0 ? [`${dead} given up`] : [])];
  return {
    label: 'Waiting to be applied',
    value: String(waiting),
    ...(waiting > 0 ? { unit: `oldest ${duration(oldestSeconds)}` } : {}),
    note: parts.length > 0 ? parts.join(', ') : 'nothing failed, nothing given up',
    ...(dead > 0 || oldestSeconds > 120 ? { tone: 'bad' } : {}),
    href: dead > 0 ? '/events?status=dead' : '/events?status=received',
  };
}
