-- Sessions of the console that somebody ended before their time.
--   owner    a digest of the token they began with
--   session  a digest of what its cookie names; '*': all of the owner's that end no later
--   until    when it would have ended by itself: the row may go then
CREATE TABLE ended_sessions (
  owner   text,
  session text,
  until   timestamptz NOT NULL,
  PRIMARY KEY (owner, session)
);
CREATE INDEX ended_sessions_by_until ON ended_sessions (until);

-- What was refused again to an actor within a minute: only the first five have rows of their own in `actions`, the others are counted
-- here until one row there counts all of them.
--   since   when the first was refused
--   folded  how many more were
CREATE TABLE repeated_refusals (
  actor  text,
  action text,
  since  timestamptz NOT NULL,
  folded bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (actor, action)
);
