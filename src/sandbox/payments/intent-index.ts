import { ASSETS } from '../assets/assets.js';
import { INTENT_STATUSES, type Intent, type IntentStatus, receivedDiffers } from './intent.js';

/** The low bits of an intent's flags are the number of its status. */
export const STATUS_BITS = 7;
export const REMOVED = 7;
export const DIFFERS = 8;
export const DISPUTED = 16;
export const PRODUCT = 32;
export const TERMINAL = 64;
export const INVOICE = 128;

export interface Filterable {
  status: IntentStatus;
  /** Received another amount than expected. */
  differs: boolean;
  disputed: boolean;
  product: boolean;
  terminal: boolean;
  invoice: boolean;
}

export function flagsFor(given: Filterable): number {
  return (
    INTENT_STATUSES.indexOf(given.status) |
    (given.differs ? DIFFERS : 0) |
    (given.disputed ? DISPUTED : 0) |
    (given.product ? PRODUCT : 0) |
    (given.terminal ? TERMINAL : 0) |
    (given.invoice ? INVOICE : 0)
  );
}

export function flagsOf(intent: Intent): number {
  return flagsFor({
    status: intent.status,
    differs: receivedDiffers(intent),
    disputed: intent.irregularStatus !== 'none',
    product: intent.productId !== null,
    terminal: intent.posTerminalId !== null,
    invoice: intent.invoiceId !== null,
  });
}

export const statusOf = (flags: number): IntentStatus | undefined => INTENT_STATUSES[flags & STATUS_BITS];

const ASSET_NUMBERS = new Map(ASSETS.map(({ assetCode }, index) => [assetCode, index + 1]));

export const assetNumber = (assetCode: string | null): number => ASSET_NUMBERS.get(assetCode ?? '') ?? 0;

/** The two bytes per intent that lists filter by, by position: the newest intent has the highest. */
export interface IntentIndex {
  size(): number;
  flags(position: number): number;
  asset(position: number): number;
  isRemoved(position: number): boolean;
  /** Makes room for one more and answers its position. */
  grow(): number;
  set(position: number, flags: number, asset: number): void;
  remove(position: number): void;
}

type Bytes = Uint8Array<ArrayBuffer>;

function grown(column: Bytes, size: number): Bytes {
  if (size <= column.length) return column;
  const larger = new Uint8Array(Math.max(size, column.length * 2, 1024));
  larger.set(column);
  return larger;
}

export function createIntentIndex(room: number): IntentIndex {
  let flags: Bytes = new Uint8Array(room);
  let assets: Bytes = new Uint8Array(room);
  let size = 0;
  const flagsAt = (position: number): number => (position < size ? (flags[position] ?? REMOVED) : REMOVED);
  return {
    size: () => size,
    flags: flagsAt,
    asset: (position) => assets[position] ?? 0,
    isRemoved: (position) => (flagsAt(position) & STATUS_BITS) === REMOVED,
    grow() {
      size += 1;
      flags = grown(flags, size);
      assets = grown(assets, size);
      return size - 1;
    },
    set(position, flag, asset) {
      flags[position] = flag;
      assets[position] = asset;
    },
    remove(position) {
      flags[position] = REMOVED;
    },
  };
}
