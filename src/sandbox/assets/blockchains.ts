/** What the emulator knows of a chain. */
export interface Blockchain {
  /** The coin that gas is paid in. */
  baseAssetCode: string;
  /** Typical gas of one payout, in the base coin. */
  networkFee: string;
  /** null: no block explorer is configured. */
  explorer: string | null;
  /** Addresses belong to one payment or account at a time and go back to a pool. */
  utxo: boolean;
}

const BLOCKCHAINS: Record<string, Blockchain> = {
  Ethereum: chain('ETH', '0.00084', 'https://etherscan.io/tx/'),
  Polygon: chain('POL.POLYGON', '0.0121', 'https://polygonscan.com/tx/'),
  Tron: chain('TRX.TRC20', '13.84', 'https://tronscan.org/#/transaction/'),
  Bitcoin: { ...chain('BTC', '0.0000282', 'https://mempool.space/tx/'), utxo: true },
  Litecoin: { ...chain('LTC', '0.00021', 'https://litecoinspace.org/tx/'), utxo: true },
  'XRP Ledger': chain('XRP.XRPL', '0.000012', 'https://livenet.xrpl.org/transactions/'),
  Stellar: chain('XLM.STELLAR', '0.00001', null),
};

function chain(baseAssetCode: string, networkFee: string, explorer: string | null): Blockchain {
  return { baseAssetCode, networkFee, explorer, utxo: false };
}

export function blockchainOf({ blockchainName }: { blockchainName: string }): Blockchain {
  const found = BLOCKCHAINS[blockchainName];
  if (!found) throw new Error(`no blockchain ${blockchainName}`);
  return found;
}
