import * as fc from 'fast-check';

/** What happens to sub-wallets and settlements. Numbers pick among the records that there are. */
export type WalletCommand =
  | { op: 'account' }
  /** null: to the operating balance. */
  | { op: 'deposit'; of: number | null; asset: string; amount: string }
  | { op: 'address'; of: number; asset: string }
  | {
      op: 'transfer';
      of: number;
      to: { of: number; by: 'id' | 'email' | 'two' } | 'operating' | 'from-operating' | 'nowhere';
      asset: string;
      amount: string;
      fee: string | null;
      key: number | null;
      session: string | null;
    }
  | { op: 'update'; of: number; field: 'label' | 'externalRef'; text: string }
  | { op: 'status'; of: number; status: 'active' | 'frozen' | 'closed' }
  | { op: 'close' | 'archive'; of: number }
  /** null: to the default account. */
  | { op: 'settle'; asset: string; amount: string; of: number | null }
  | { op: 'settlement-account'; of: number; act: 'add' | 'default' | 'revoke' }
  | { op: 'look'; what: 'accounts' | 'feed' | 'balance' | 'methods'; asset: string };

export interface Choices {
  of: fc.Arbitrary<number>;
  asset: fc.Arbitrary<string>;
  amount: fc.Arbitrary<string>;
  key: fc.Arbitrary<number | null>;
  session: fc.Arbitrary<string | null>;
  mostly: <const T>(usual: T, ...others: T[]) => fc.Arbitrary<T>;
}

const is = <T extends string>(op: T) => fc.constant(op);

export function walletCommands({
  of,
  asset,
  amount,
  key,
  session,
  mostly,
}: Choices): fc.WeightedArbitrary<WalletCommand>[] {
  const by = mostly('id', 'email', 'two');
  const to = fc.oneof(
    { weight: 4, arbitrary: fc.record({ of, by }) },
    { weight: 3, arbitrary: fc.constantFrom('operating' as const, 'from-operating' as const) },
    { weight: 1, arbitrary: fc.constant('nowhere' as const) },
  );
  const status = mostly('active', 'frozen', 'closed');
  const text = mostly('user-a', 'user-b', 'x'.repeat(120), 'x'.repeat(121));
  const field = mostly('externalRef', 'label');
  const act = fc.constantFrom('add' as const, 'default' as const, 'revoke' as const);
  const what = fc.constantFrom('accounts' as const, 'feed' as const, 'balance' as const, 'methods' as const);
  const fee: fc.Arbitrary<string | null> = fc.option(amount);
  const some: fc.Arbitrary<number | null> = fc.option(of);
  return [
    { weight: 1, arbitrary: fc.record({ op: is('account') }) },
    { weight: 4, arbitrary: fc.record({ op: is('deposit'), of: some, asset, amount }) },
    { weight: 1, arbitrary: fc.record({ op: is('address'), of, asset }) },
    { weight: 6, arbitrary: fc.record({ op: is('transfer'), of, to, asset, amount, fee, key, session }) },
    { weight: 4, arbitrary: fc.record({ op: is('update'), of, field, text }) },
    { weight: 2, arbitrary: fc.record({ op: is('status'), of, status }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constantFrom('close' as const, 'archive' as const), of }) },
    { weight: 2, arbitrary: fc.record({ op: is('settle'), asset, amount, of: some }) },
    { weight: 1, arbitrary: fc.record({ op: is('settlement-account'), of, act }) },
    { weight: 2, arbitrary: fc.record({ op: is('look'), what, asset }) },
  ];
}
