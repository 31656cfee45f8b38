-- By which rules the match was made: where these are others than the version that runs has, all is matched anew.
ALTER TABLE match_progress ADD COLUMN rules integer NOT NULL DEFAULT 0;
