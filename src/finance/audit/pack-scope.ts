import type { MovementTable } from '../../domain/balances/movement-table.js';
import type { Chart } from '../../domain/books/chart.js';
import type { ActionView } from '../../domain/views/operation-shapes.js';

export interface PackAsked {
  month: string;
  /** The zip to write. */
  out: string;
  /** Of the books; of a closed month that of its closing, where it was kept. */
  timeZone: string;
  /** As the zone. */
  currency: string;
  table: Pick<MovementTable, 'words'>;
  chart: Chart;
}

/** What is in a pack: rows up to a seal, and what was so at a time. */
export interface PackScope extends PackAsked {
  /** Null: the month is open, and the pack is what stands now. */
  closing: ActionView | null;
  monthStart: Date;
  /** Of the closing; of an open month now. */
  at: Date;
  seals: { from: string; to: string; headHash: string };
  lastStep: string;
  lastAction: string;
}
