-- Every installation needs both: one that crashes before its first sign has to fall silent too.
INSERT INTO signs_of_life (part, seen_at)
SELECT part, now() FROM unnest(ARRAY['receiver', 'worker']) AS part WHERE EXISTS (SELECT FROM installation)
ON CONFLICT (part) DO NOTHING;
