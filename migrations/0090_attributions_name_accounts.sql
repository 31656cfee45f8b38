-- contra: the account that finance named for the other side; null: none was asked for, it is equity:unobservable.
ALTER TABLE balance_attributions ADD COLUMN contra text;
