import type { SecretStatus } from '../../domain/views/webhook-shapes.js';
import { type DayOfMatches, matchesPerDay } from '../../records/deliveries/secrets.js';
import { restoreSecretAction, retireSecretAction, secretLeakedAction } from '../actions/retire-secret.js';
import type { Page, PageRequest } from '../page.js';
import { entityHref } from '../view/links.js';
import { verdictOf, verdictWords } from '../view/secret-words.js';
import type { ChartSection, Section } from '../view/sections.js';
import { badge, count, counted, id, link, list, none, quiet, text, time, type Value } from '../view/values.js';

const DAYS = 30;

export const secrets: Page = {
  path: '/secrets',
  title: 'Secrets',
  group: 'Webhooks',
  roles: ['operator'],
  load: async ({ db, now, secretsStatus }, req) => {
    const [{ items }, matches] = await Promise.all([secretsStatus(), matchesPerDay(db, now(), DAYS)]);
    const live = items.filter(({ verdict }) => verdict !== 'retired');
    return {
      intro:
        'The signing secrets that are configured, never the secrets themselves: under which events come, and which may go.',
      sections: [
        overviewOf(items, now()),
        ...items.flatMap((secret) =>
          sectionsOf(secret, { req, days: matches.get(secret.label) ?? [], isOnly: live.length === 1 }),
        ),
      ],
    };
  },
};

function overviewOf(items: readonly SecretStatus[], now: Date): Section {
  return {
    is: 'table',
    caption: 'Secrets, in the order of WEBHOOK_SECRETS',
    columns: [
      { label: 'Secret' },
      { label: 'Verdict' },
      { label: 'Endpoint' },
      { label: 'In 24 h', align: 'end' },
      { label: 'Not sent', align: 'end' },
      { label: 'First match' },
      { label: 'Last match' },
    ],
    rows: items.map((secret) => {
      const { short, tone } = verdictWords[secret.verdict];
      return [
        list([text(secret.label), quiet(`fingerprint ${secret.fingerprint}`)]),
        badge(short, tone),
        secret.endpointId === null
          ? none('not known yet')
          : id(secret.endpointId, entityHref('endpoint', secret.endpointId)),
        count(secret.matches24h),
        secret.notSent === null ? none('is not known') : count(secret.notSent),
        secret.firstMatchAt === null ? none('never') : time(secret.firstMatchAt, now),
        secret.lastMatchAt === null ? none('never') : time(secret.lastMatchAt, now),
      ];
    }),
    empty: {
      title: 'No secret is configured for this process',
      text: 'Set WEBHOOK_SECRETS for the console as for the receivers: it shows fingerprints alone.',
    },
  };
}

interface Known {
  req: PageRequest;
  days: readonly DayOfMatches[];
  /** No other is accepted. */
  isOnly: boolean;
}

/** What came under it and stands in no delivery history. */
function notSentOf({ notSent, unmatched, lacking, untold: notKnown }: SecretStatus): Value {
  const open = [
    ...(lacking === 0 ? [] : [link(`${lacking} lack while the history differs`, '/breaks?kind=history_differs')]),
    ...(unmatched === lacking ? [] : [quiet(`${unmatched - lacking} more are not known yet`)]),
  ];
  if (notSent === null) return list([text(`It is not known: ${notKnown ?? ''}`), ...open]);
  const found = notSent === 0 ? none('nothing') : link(`${notSent} events`, '/breaks?kind=event_not_sent');
  return list([found, ...open]);
}

function sectionsOf(secret: SecretStatus, { req, days, isOnly }: Known): Section[] {
  const { label, next, overlap, successor, verdict } = secret;
  const { title, tone, missing } = verdictOf(secret, isOnly);
  const isRetired = verdict === 'retired';
  const shared =
    overlap === null
      ? []
      : [
          [
            `While both were in use, with “${successor ?? ''}”`,
            text(`${overlap.both} events under both, ${overlap.onlyThis} under this one alone`),
          ] as const,
        ];
  return [
    {
      is: 'panel',
      title: `Secret “${label}”`,
      actions: [
        isRetired
          ? req.button(restoreSecretAction, { label })
          : isOnly
            ? null
            : req.button(retireSecretAction, { label }),
        isOnly && !isRetired ? null : req.button(secretLeakedAction, { label }),
      ],
      sections: [
        { is: 'notice', tone, title, text: `${next} The steps are those of docs/rotate-secrets.md.` },
        {
          is: 'facts',
          facts: [
            [
              'Missing before it may go',
              missing.length === 0 ? none('nothing') : list(missing.map((line) => text(line))),
            ],
            ['Not sent by the service', notSentOf(secret)],
            ...(isRetired ? [['Retired', time(secret.retiredAt)] as const] : []),
            ...shared,
          ],
        },
      ],
    },
    days.length === 0
      ? {
          is: 'notice',
          tone: 'quiet',
          title: `“${label}” matched nothing in ${DAYS} days`,
          text: 'The dashboard’s test send to its endpoint makes an event.',
        }
      : dayChart(`Matches of “${label}”, per day`, days, ['match', 'matches']),
  ];
}

const WIDTH = 600;
const HEIGHT = 100;
const GAP = 4;

/** One bar a day, the oldest first. */
function dayChart(
  title: string,
  days: readonly { day: Date; count: number }[],
  [one, many]: readonly [string, string],
): ChartSection {
  const highest = Math.max(...days.map(({ count }) => count), 1);
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const step = WIDTH / Math.max(days.length, 1);
  const named = (day: Date | undefined) => day?.toISOString().slice(0, 10) ?? '';
  return {
    is: 'chart',
    title,
    summary: `${counted(total, one, many)} in ${days.length} days; at most ${highest} on one day.`,
    width: WIDTH,
    height: HEIGHT,
    bars: days.map(({ day, count }, index) => {
      const height = Math.round((count / highest) * HEIGHT * 100) / 100;
      const parts = count === 0 ? [] : [{ y: HEIGHT - height, height, tone: 'info' as const }];
      const label = `${named(day)}: ${counted(count, one, many)}`;
      return { x: Math.round(index * step * 100) / 100, width: Math.round((step - GAP) * 100) / 100, label, parts };
    }),
    legend: [{ tone: 'info', text: counted(total, one, many) }],
    axis: { first: named(days[0]?.day), last: named(days.at(-1)?.day), highest: `${highest} / day` },
  };
}
