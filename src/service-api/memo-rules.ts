import { InvalidRequestError } from './service-errors.js';

interface Asset {
  assetCode: string;
  memoRequired?: boolean | null | undefined;
}

/** Which assets need a memo at their destination and which have none (specification 2.11, 4.4), as far as was read. */
export class MemoRules {
  private readonly required = new Map<string, boolean>();

  learn(catalog: readonly Asset[]): void {
    for (const { assetCode, memoRequired } of catalog) {
      if (typeof memoRequired === 'boolean') this.required.set(assetCode, memoRequired);
    }
  }

  /** @throws {InvalidRequestError} Without its memo, or with one that means nothing there, a payout may be lost. */
  check({ assetCode, destinationMemo }: { assetCode: string; destinationMemo?: string | undefined }): void {
    const required = this.required.get(assetCode);
    if (required === undefined || required === (destinationMemo !== undefined)) return;
    const rule = required ? 'is required' : 'is to be left out';
    throw new InvalidRequestError(`destinationMemo ${rule} for ${assetCode}`, { operation: 'createPayout' });
  }
}
