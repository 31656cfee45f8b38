-- Orders that wait for a person's word about a refund: counted twice a minute, few among many.
CREATE INDEX orders_refund_unlinked ON orders (reference) WHERE release_reason = 'refund_unlinked';
