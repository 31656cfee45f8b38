import { counted } from '../../domain/in-words.js';
import type { State } from '../../domain/state/state.js';
import type { SecretStatus } from '../../domain/views/webhook-shapes.js';
import { type DayOfMatches, matchesPerDay } from '../../records/deliveries/secrets.js';
import { restoreSecretAction, retireSecretAction, secretLeakedAction } from '../actions/retire-secret.js';
import type { Page, PageRequest } from '../page.js';
import { matchesChart } from '../view/chart.js';
import { entityHref } from '../view/links.js';
import { verdictOf, verdictWords } from '../view/secret-words.js';
import { type Facts, facts, notice, panel, type Section, table } from '../view/sections.js';
import { problemNotices } from '../view/standing.js';
import { ago, badge, count, id, link, list, none, quiet, text, time, type Value } from '../view/values.js';

const DAYS = 30;
const testSend = 'The dashboard’s test send to its endpoint makes an event.';

export const secrets: Page = {
  path: '/secrets',
  title: 'Secrets',
  group: 'Webhooks',
  roles: ['operator'],
  load: async ({ db, now, secretsStatus, state: known }, req) => {
    const [{ items }, matches, { state, facts }] = await Promise.all([
      secretsStatus(),
      matchesPerDay(db, now(), DAYS),
      known(),
    ]);
    const live = items.filter(({ verdict }) => verdict !== 'retired');
    return {
      intro:
        'The signing secrets that are configured, never the secrets themselves: under which events come, and which may go.',
      sections: [
        ...failingOf(live, state),
        overviewOf(items, facts.secretsFrom ?? 'WEBHOOK_SECRETS or WEBHOOK_SECRETS_FILE'),
        ...items.flatMap((secret) =>
          sectionsOf(secret, { req, days: matches.get(secret.label) ?? [], isOnly: live.length === 1 }),
        ),
      ],
    };
  },
};

/** What fails stands first, with the secret to look at: one that never matched. */
function failingOf(live: readonly SecretStatus[], state: State): Section[] {
  const unmatched = live.filter(({ firstMatchAt }) => firstMatchAt === null).map(({ label }) => `“${label}”`);
  const which = unmatched.length === 0 ? '' : `Look at ${unmatched.join(', ')}: nothing has ever come under it.`;
  return problemNotices(state, ['TallyhookInvalidSignatures', 'TallyhookNoSecretAccepted'], which);
}

function overviewOf(items: readonly SecretStatus[], from: string): Section {
  return table(items, {
    caption: `Secrets, in the order of ${from}`,
    showCaption: false,
    columns: [
      ['Secret', ({ label, fingerprint }) => list([text(label), quiet(`fingerprint ${fingerprint}`)])],
      ['Verdict', ({ verdict }) => badge(verdictWords[verdict].short, verdictWords[verdict].tone)],
      [
        'Endpoint',
        ({ endpointId: own }) => (own === null ? none('not known yet') : id(own, entityHref('endpoint', own))),
      ],
      ['In 24 h', ({ matches24h }) => count(matches24h), 'end'],
      ['Not sent', ({ notSent }) => count(notSent, 'is not known'), 'end'],
      ['First match', ({ firstMatchAt }) => ago(firstMatchAt, 'never')],
      ['Last match', ({ lastMatchAt }) => ago(lastMatchAt, 'never')],
    ],
    empty: [
      'No secret is configured for this process',
      'Set WEBHOOK_SECRETS or WEBHOOK_SECRETS_FILE for the console as for the receivers: it shows fingerprints alone.',
    ],
  });
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
    ...(unmatched === lacking ? [] : [quiet(`${counted(unmatched - lacking, 'more is', 'more are')} not known yet`)]),
  ];
  if (notSent === null) return list([text(`It is not known: ${notKnown ?? ''}`), ...open]);
  const found = notSent === 0 ? none('nothing') : link(`${notSent} events`, '/breaks?kind=event_not_sent');
  return list([found, ...open]);
}

function sectionsOf(secret: SecretStatus, { req, days, isOnly }: Known): Section[] {
  const { label, next, overlap, successor, verdict, missing } = secret;
  const { title, tone } = verdictOf(secret, isOnly);
  const isRetired = verdict === 'retired';
  const known: Facts = [
    ['Missing before it may go', missing.length === 0 ? none('nothing') : list(missing.map((line) => text(line)))],
    ['Not sent by the service', notSentOf(secret)],
  ];
  if (isRetired) known.push(['Retired', time(secret.retiredAt)]);
  if (overlap !== null) {
    const shared = `${overlap.both} events under both, ${overlap.onlyThis} under this one alone`;
    known.push([`While both were in use, with “${successor ?? ''}”`, text(shared)]);
  }
  const restoreOrRetire = isRetired ? restoreSecretAction : retireSecretAction;
  const actions =
    isOnly && !isRetired ? [] : [restoreOrRetire, secretLeakedAction].map((action) => req.button(action, { label }));
  const steps = notice(tone, title, `${next} The steps are those of docs/rotate-secrets.md.`);
  return [
    panel(`Secret “${label}”`, [steps, facts(known)], { actions }),
    days.length === 0
      ? notice('quiet', `“${label}” matched nothing in ${DAYS} days`, testSend)
      : matchesChart(label, days),
  ];
}
