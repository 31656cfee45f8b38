-- Whose refund a payout is, by a person's word, and what a store registered are appended, and never changed.
CREATE TRIGGER refund_assignments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON refund_assignments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER order_registrations_kept BEFORE DELETE OR TRUNCATE ON order_registrations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
