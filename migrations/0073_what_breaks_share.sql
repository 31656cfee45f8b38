-- What a break's evidence has in common with others of its kind, in words: what is decided together has one cause. Those of before: by time alone.
ALTER TABLE breaks ADD COLUMN shared text NOT NULL DEFAULT 'none';
