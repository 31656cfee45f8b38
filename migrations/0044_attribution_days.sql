-- booked_on: the day of the books on which finance said that it was; null: the day on which it was said.
ALTER TABLE balance_attributions ADD COLUMN booked_on date;
