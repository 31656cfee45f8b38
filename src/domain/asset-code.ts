/** As the specification writes the code of an asset (4.4), such as USDT.TRC20; those of ISO 4217 are among them. */
export const ASSET_CODE = '^[A-Z0-9_.-]{1,32}$';

const pattern = new RegExp(ASSET_CODE);

export const isAssetCode = (text: string): boolean => pattern.test(text);
