-- What explains money that is missing of a settlement is decided by two people, as a write-off is. The rest may be what rates made of it.
ALTER TABLE decisions DROP CONSTRAINT decisions_action_check;
ALTER TABLE decisions ADD CONSTRAINT decisions_action_check CHECK (
  action IN ('attribute balance', 'close period', 'import rates', 'mark settlement', 'reopen period', 'write off break'));
ALTER TABLE settlement_arrivals DROP CONSTRAINT settlement_arrivals_difference_check;
ALTER TABLE settlement_arrivals ADD CONSTRAINT settlement_arrivals_difference_check CHECK (difference IN ('fees', 'rate', 'unexplained'));
