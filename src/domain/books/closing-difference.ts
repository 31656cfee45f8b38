import { grouped } from '../grouped.js';
import { counted, words } from '../in-words.js';
import { sumAmounts } from '../money.js';

/** What moved an operating balance, is booked after a month, and may have been in the balance when the month ended. */
export interface BookedLater {
  assetCode: string;
  recordKind: string;
  recordId: string;
  /** Units, signed. */
  amount: string;
  /** YYYY-MM-DD. */
  day: string;
}

/** An asset at the end of a month of the books (YYYY-MM), and all that may keep its balance from being what the service held. */
export interface AssetAtEnd {
  assetCode: string;
  /** What the books hold of it then, in units. */
  closing: string;
  later: readonly BookedLater[];
  /** Of its balance as it is known now, in units; null: it was never compared. */
  unexplained: string | null;
  /** Why its balance is not proven; null: nothing but an unexplained part is known to be wrong. */
  unproven: string | null;
  /** Breaks about its balance that are not closed; acknowledging one proves nothing. */
  breaks: readonly { id: string; kind: string; status: string }[];
}

/** Of one asset, or of all that are unproven by one cause and nothing else. */
export interface ClosingDifference {
  /** Null: of several. */
  assetCode: string | null;
  isProven: boolean;
  told: string;
}

/** Of all assets at the end of a month: a sentence for each cause. */
export function closingDifferences(month: string, assets: readonly AssetAtEnd[]): ClosingDifference[] {
  const causes = grouped(assets.filter(isOnlyUnproven), ({ unproven }) => (unproven ?? '').replace(TIME, ''));
  const alike = [...causes.values()].filter((own) => own.length > 1);
  const others = assets.filter((asset) => !alike.some((own) => own.includes(asset)));
  return [
    ...alike.map((own) => ({ assetCode: null, isProven: false, told: unprovenTogether(month, own) })),
    ...others.flatMap((asset): ClosingDifference[] => {
      const told = closingDifference(month, asset);
      const isProven = asset.unproven === null && !isUnexplained(asset);
      return told === null ? [] : [{ assetCode: asset.assetCode, isProven, told }];
    }),
  ];
}

/** Of one outage each asset has its own. */
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

function isOnlyUnproven({ later, unexplained, unproven, breaks }: AssetAtEnd): boolean {
  return unproven !== null && later.length === 0 && breaks.length === 0 && !isUnexplained({ unexplained });
}

function isUnexplained({ unexplained }: Pick<AssetAtEnd, 'unexplained'>): boolean {
  return unexplained !== null && unexplained !== '0';
}

function unprovenTogether(month: string, assets: readonly AssetAtEnd[]): string {
  const held = assets.map(({ closing, assetCode }) => `${closing} ${assetCode}`).join(', ');
  const reasons = assets.map(({ unproven }) => unproven ?? '').sort();
  return `the books end ${month} with ${held}, and of none of these ${assets.length} it is proven that the service held that: ${reasons[0]}`;
}

const NAMED = 5;

/** In a sentence, why nobody can say that the books end the month with what the service held of the asset; null: they do. */
export function closingDifference(month: string, asset: AssetAtEnd): string | null {
  const reasons = reasonsOf(asset);
  if (reasons.length === 0) return null;
  const { assetCode, closing, later, unexplained } = asset;
  const held = sumAmounts([closing, unexplained ?? '0', ...later.map(({ amount }) => amount)]);
  const said =
    held === sumAmounts([closing])
      ? 'it is not proven that the service held that'
      : `the service may have held ${held}`;
  return `the books end ${month} with ${closing} ${assetCode}, and ${said}: ${reasons.join('; ')}`;
}

function reasonsOf({ later, unexplained, unproven, breaks }: AssetAtEnd): string[] {
  return [
    ...(isUnexplained({ unexplained }) ? [`${unexplained} is unexplained`] : []),
    ...(unproven === null ? [] : [unproven]),
    ...(unexplained === null && unproven === null ? ['its balance was never compared'] : []),
    ...(later.length === 0 ? [] : [laterOf(later)]),
    ...breaks.map(({ id, kind, status }) => `break ${id} is ${status}: ${words(kind)}`),
  ];
}

function laterOf(later: readonly BookedLater[]): string {
  const named = later
    .slice(0, NAMED)
    .map(({ recordKind, recordId, amount, day }) => `${amount} of it on ${day} (${words(recordKind)} ${recordId})`);
  const others = later.length > NAMED ? [`${counted(later.length - NAMED, 'record')} more`] : [];
  return `booked later are ${[...named, ...others].join(', ')}; no proof of the balance shows that it came after the month`;
}
