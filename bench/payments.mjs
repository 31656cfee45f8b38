/** So many of the newest payments are not paid yet. */
export const OPEN = 50;
const STEP_MS = 60_000;

/** The payment at this place of the list, newest first, as JSON of about 1 KB. */
export function paymentAt(index, newest) {
  const number = String(10_000_000 - index).padStart(8, '0');
  const at = new Date(newest - index * STEP_MS).toISOString();
  const paid = index >= OPEN;
  const payin = {
    id: `pa_${number}`,
    amountGross: '125.50',
    amountNet: '124.245',
    feeAmount: '1.255',
    assetCode: 'USDT.TRC20',
    status: 'confirmed',
    txid: number.repeat(8),
    createdAt: at,
  };
  return JSON.stringify({
    id: `pi_${number}`,
    status: paid ? 'completed' : 'pending',
    amountRequested: '125.50',
    currencyRequested: 'USDT.TRC20',
    requestedCurrencyType: 'crypto',
    amountCryptoExpected: '125.50',
    assetCode: 'USDT.TRC20',
    acceptedCoins: ['USDT.TRC20', 'BTC'],
    totalAmountReceived: paid ? '125.50' : '0',
    amountNetMerchant: paid ? '124.245' : '0',
    feeAmountTotal: paid ? '1.255' : '0',
    source: 'api',
    merchantReference: `order-${number}`,
    irregularStatus: 'none',
    createdAt: at,
    expiresAt: new Date(newest + 3_600_000).toISOString(),
    payins: paid ? [payin] : [],
    metadata: { note: 'x'.repeat(120) },
  });
}
