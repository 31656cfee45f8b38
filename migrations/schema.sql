-- What the migrations make of an empty database; test/records/schema.test.ts holds it against them.

TABLE account_months
  account text NOT NULL
  asset_code text NOT NULL
  month text NOT NULL
  amount numeric NOT NULL
  lines bigint NOT NULL DEFAULT 0
  CONSTRAINT account_months_pkey PRIMARY KEY (account, asset_code, month)
  CREATE TRIGGER account_months_kept BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.account_months FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand()

TABLE account_values
  account text NOT NULL
  asset_code text NOT NULL
  month text NOT NULL
  currency text NOT NULL
  value numeric NOT NULL
  lines bigint NOT NULL
  CONSTRAINT account_values_pkey PRIMARY KEY (account, asset_code, month, currency)
  CREATE TRIGGER account_values_kept BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.account_values FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand()

TABLE accounts
  id text NOT NULL
  status text
  label text
  external_ref text
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  poll_by text
  poll_ref text
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  settled boolean NOT NULL DEFAULT false
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  CONSTRAINT accounts_pkey PRIMARY KEY (id)
  CREATE INDEX accounts_by_reference ON public.accounts USING btree (external_ref) WHERE (external_ref IS NOT NULL)
  CREATE INDEX accounts_by_status ON public.accounts USING btree (status, created_at DESC)
  CREATE INDEX accounts_newest ON public.accounts USING btree (created_at DESC, id DESC)
  CREATE INDEX accounts_unverified ON public.accounts USING btree (created_at DESC, id DESC) WHERE (NOT verified)

TABLE actions
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  at timestamp with time zone NOT NULL DEFAULT now()
  actor text NOT NULL
  action text NOT NULL
  target text
  reason text
  details jsonb NOT NULL DEFAULT '{}'::jsonb
  outcome text NOT NULL
  CONSTRAINT actions_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'asked'::text, 'refused'::text])))
  CONSTRAINT actions_pkey PRIMARY KEY (id)
  CREATE INDEX actions_by_action ON public.actions USING btree (action, id DESC)
  CREATE INDEX actions_by_actor ON public.actions USING btree (actor, id DESC)
  CREATE INDEX actions_by_target ON public.actions USING btree (target, id DESC) WHERE (target IS NOT NULL)
  CREATE INDEX actions_of_decision ON public.actions USING btree (((details ->> 'decision'::text))) WHERE ((details ->> 'decision'::text) IS NOT NULL)
  CREATE TRIGGER actions_announced BEFORE INSERT ON public.actions FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29775', 'actions_id_seq')
  CREATE TRIGGER actions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.actions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE alert_channels
  channel text NOT NULL
  failing_since timestamp with time zone
  failures integer NOT NULL DEFAULT 0
  error text
  last_ok_at timestamp with time zone
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now()
  claim uuid
  claimed_until timestamp with time zone
  CONSTRAINT alert_channels_pkey PRIMARY KEY (channel)

TABLE alert_notices
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  channel text NOT NULL
  key text NOT NULL
  message jsonb NOT NULL
  webhook_id text NOT NULL DEFAULT ('msg_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text))
  status text NOT NULL DEFAULT 'pending'::text
  created_at timestamp with time zone NOT NULL DEFAULT now()
  sent_at timestamp with time zone
  CONSTRAINT alert_notices_channel_fkey FOREIGN KEY (channel) REFERENCES alert_channels(channel)
  CONSTRAINT alert_notices_channel_key_key UNIQUE (channel, key)
  CONSTRAINT alert_notices_pkey PRIMARY KEY (id)
  CONSTRAINT alert_notices_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'expired'::text])))
  CONSTRAINT alert_notices_webhook_id_key UNIQUE (webhook_id)
  CREATE INDEX alert_notices_waiting ON public.alert_notices USING btree (channel, id) WHERE (status = 'pending'::text)
  CREATE UNIQUE INDEX alert_notices_channel_key_key ON public.alert_notices USING btree (channel, key)
  CREATE UNIQUE INDEX alert_notices_webhook_id_key ON public.alert_notices USING btree (webhook_id)

TABLE alerts
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  name text NOT NULL
  subject text NOT NULL DEFAULT ''::text
  severity text NOT NULL
  summary text NOT NULL
  detail text NOT NULL
  since timestamp with time zone NOT NULL
  seen_at timestamp with time zone NOT NULL
  fired_at timestamp with time zone
  resolved_at timestamp with time zone
  acknowledged_at timestamp with time zone
  acknowledged_by text
  silenced_at timestamp with time zone
  silenced_until timestamp with time zone
  silenced_by text
  silenced_severity text
  remedy text
  found_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT alerts_pkey PRIMARY KEY (id)
  CONSTRAINT alerts_severity_check CHECK ((severity = ANY (ARRAY['critical'::text, 'warning'::text])))
  CONSTRAINT alerts_silence_ends CHECK ((silenced_until <= (silenced_at + '7 days'::interval)))
  CREATE UNIQUE INDEX alerts_one_open ON public.alerts USING btree (name, subject) WHERE (resolved_at IS NULL)

TABLE asset_rates
  asset_code text NOT NULL
  rate numeric(36,18)
  seen_at timestamp with time zone NOT NULL
  source text NOT NULL
  CONSTRAINT asset_rates_rate_check CHECK (((rate <> 'NaN'::numeric) AND (rate > (0)::numeric)))
  CREATE INDEX asset_rates_by_time ON public.asset_rates USING btree (asset_code, seen_at DESC)
  CREATE UNIQUE INDEX asset_rates_hourly ON public.asset_rates USING btree (asset_code, date_trunc('hour'::text, (seen_at AT TIME ZONE 'UTC'::text)), COALESCE(rate, (0)::numeric))
  CREATE TRIGGER asset_rates_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.asset_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER asset_rates_shown AFTER INSERT ON public.asset_rates FOR EACH ROW EXECUTE FUNCTION check_shown_rate()

TABLE assets
  id text NOT NULL
  network text
  category text
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  poll_by text
  poll_ref text
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  settled boolean NOT NULL DEFAULT false
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  CONSTRAINT assets_pkey PRIMARY KEY (id)
  CREATE INDEX assets_newest ON public.assets USING btree (created_at DESC, id DESC)

TABLE attribution_rebookings
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  attribution_id bigint NOT NULL
  step integer NOT NULL
  contra text NOT NULL
  note text NOT NULL
  actor text NOT NULL
  at timestamp with time zone NOT NULL DEFAULT now()
  booked_on date NOT NULL
  CONSTRAINT attribution_rebookings_attribution_id_fkey FOREIGN KEY (attribution_id) REFERENCES balance_attributions(id)
  CONSTRAINT attribution_rebookings_attribution_id_step_key UNIQUE (attribution_id, step)
  CONSTRAINT attribution_rebookings_by_action TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT attribution_rebookings_note_check CHECK ((note <> ''::text))
  CONSTRAINT attribution_rebookings_pkey PRIMARY KEY (id)
  CONSTRAINT attribution_rebookings_step_check CHECK ((step > 0))
  CREATE UNIQUE INDEX attribution_rebookings_attribution_id_step_key ON public.attribution_rebookings USING btree (attribution_id, step)
  CREATE CONSTRAINT TRIGGER attribution_rebookings_by_action AFTER INSERT ON public.attribution_rebookings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_action('rebook attribution')
  CREATE TRIGGER attribution_rebookings_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.attribution_rebookings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE balance_attributions
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  asset_code text NOT NULL
  amount numeric(36,18) NOT NULL
  note text NOT NULL
  actor text NOT NULL
  at timestamp with time zone NOT NULL DEFAULT now()
  booked_on date
  contra text
  CONSTRAINT balance_attributions_amount_check CHECK (((amount <> 'NaN'::numeric) AND (amount <> (0)::numeric)))
  CONSTRAINT balance_attributions_by_action TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT balance_attributions_note_check CHECK ((note <> ''::text))
  CONSTRAINT balance_attributions_pkey PRIMARY KEY (id)
  CREATE INDEX balance_attributions_by_asset ON public.balance_attributions USING btree (asset_code, id)
  CREATE CONSTRAINT TRIGGER balance_attributions_by_action AFTER INSERT ON public.balance_attributions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_action('attribute balance')
  CREATE TRIGGER balance_attributions_announced BEFORE INSERT ON public.balance_attributions FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29772', 'balance_attributions_id_seq')
  CREATE TRIGGER balance_attributions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.balance_attributions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE balance_proofs
  asset_code text NOT NULL
  opening_balance numeric
  opening_at timestamp with time zone
  opened_at timestamp with time zone
  balance numeric
  frozen numeric
  agreed_at timestamp with time zone
  explained numeric
  unobservable numeric
  attributed numeric
  unexplained numeric
  unknown_amount numeric
  unproven text
  asked_at timestamp with time zone NOT NULL
  run_id bigint
  held json
  at_opening json
  proven_at timestamp with time zone
  CONSTRAINT balance_proofs_balance_check CHECK ((balance <> 'NaN'::numeric))
  CONSTRAINT balance_proofs_frozen_check CHECK ((frozen <> 'NaN'::numeric))
  CONSTRAINT balance_proofs_opening_balance_check CHECK ((opening_balance <> 'NaN'::numeric))
  CONSTRAINT balance_proofs_pkey PRIMARY KEY (asset_code)
  CONSTRAINT balance_proofs_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)

TABLE balances
  id text NOT NULL
  balance numeric
  frozen numeric
  available numeric
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  poll_by text
  poll_ref text
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  settled boolean NOT NULL DEFAULT false
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  CONSTRAINT balances_available_check CHECK ((available <> 'NaN'::numeric))
  CONSTRAINT balances_balance_check CHECK ((balance <> 'NaN'::numeric))
  CONSTRAINT balances_frozen_check CHECK ((frozen <> 'NaN'::numeric))
  CONSTRAINT balances_pkey PRIMARY KEY (id)
  CREATE INDEX balances_newest ON public.balances USING btree (created_at DESC, id DESC)

TABLE break_steps
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  break_id bigint NOT NULL
  action text NOT NULL
  actor text NOT NULL
  note text
  at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT break_steps_break_id_fkey FOREIGN KEY (break_id) REFERENCES breaks(id) ON DELETE CASCADE
  CONSTRAINT break_steps_close TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT break_steps_pkey PRIMARY KEY (id)
  CREATE INDEX break_steps_by_break ON public.break_steps USING btree (break_id, id)
  CREATE CONSTRAINT TRIGGER break_steps_close AFTER INSERT ON public.break_steps DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.action = ANY (ARRAY['resolved'::text, 'written_off'::text, 'auto_resolved'::text]))) EXECUTE FUNCTION check_closing_step()
  CREATE TRIGGER break_steps_announced BEFORE INSERT ON public.break_steps FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29773', 'break_steps_id_seq')
  CREATE TRIGGER break_steps_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.break_steps FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE breaks
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  kind text NOT NULL
  severity text NOT NULL
  entity_kind text NOT NULL
  entity_id text NOT NULL
  evidence text NOT NULL
  status text NOT NULL DEFAULT 'open'::text
  opened_at timestamp with time zone NOT NULL DEFAULT now()
  resolved_at timestamp with time zone
  cause text
  owner text
  shared text NOT NULL DEFAULT 'none'::text
  CONSTRAINT breaks_escalate TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT breaks_pkey PRIMARY KEY (id)
  CONSTRAINT breaks_severity_check CHECK ((severity = ANY (ARRAY['critical'::text, 'high'::text, 'medium'::text, 'low'::text])))
  CONSTRAINT breaks_status_check CHECK ((status = ANY (ARRAY['open'::text, 'acknowledged'::text, 'resolved'::text, 'written_off'::text, 'auto_resolved'::text])))
  CREATE INDEX breaks_by_entity ON public.breaks USING btree (entity_kind, entity_id)
  CREATE INDEX breaks_by_owner ON public.breaks USING btree (owner, id) WHERE ((owner IS NOT NULL) AND (status = ANY (ARRAY['open'::text, 'acknowledged'::text])))
  CREATE INDEX breaks_by_status ON public.breaks USING btree (status, id DESC)
  CREATE INDEX breaks_standing ON public.breaks USING btree (id) WHERE ((severity = 'critical'::text) OR (entity_kind = 'balance'::text))
  CREATE UNIQUE INDEX breaks_one_open ON public.breaks USING btree (kind, entity_kind, entity_id) WHERE (status = ANY (ARRAY['open'::text, 'acknowledged'::text]))
  CREATE CONSTRAINT TRIGGER breaks_escalate AFTER UPDATE OF severity ON public.breaks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.severity IS DISTINCT FROM new.severity)) EXECUTE FUNCTION check_escalation()
  CREATE TRIGGER breaks_age BEFORE UPDATE OF opened_at ON public.breaks FOR EACH ROW WHEN ((old.opened_at IS DISTINCT FROM new.opened_at)) EXECUTE FUNCTION refuse_break_change()
  CREATE TRIGGER breaks_closed BEFORE UPDATE OF evidence, cause, shared ON public.breaks FOR EACH ROW WHEN (((old.status <> ALL (ARRAY['open'::text, 'acknowledged'::text])) AND (((old.evidence IS DISTINCT FROM new.evidence) OR (old.cause IS DISTINCT FROM new.cause)) OR (old.shared IS DISTINCT FROM new.shared)))) EXECUTE FUNCTION refuse_break_change()
  CREATE TRIGGER breaks_same BEFORE UPDATE OF kind, entity_kind, entity_id ON public.breaks FOR EACH ROW WHEN ((((old.kind IS DISTINCT FROM new.kind) OR (old.entity_kind IS DISTINCT FROM new.entity_kind)) OR (old.entity_id IS DISTINCT FROM new.entity_id))) EXECUTE FUNCTION refuse_other_break()
  CREATE TRIGGER breaks_severity BEFORE UPDATE OF severity ON public.breaks FOR EACH ROW WHEN ((array_position(ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text], new.severity) < array_position(ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text], old.severity))) EXECUTE FUNCTION refuse_severity()

TABLE callback_progress
  only_one boolean NOT NULL DEFAULT true
  seq bigint NOT NULL
  CONSTRAINT callback_progress_only_one_check CHECK (only_one)
  CONSTRAINT callback_progress_pkey PRIMARY KEY (only_one)

TABLE callbacks
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  reference text NOT NULL
  seq bigint NOT NULL
  webhook_id text NOT NULL DEFAULT ('msg_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text))
  data text NOT NULL
  status text NOT NULL DEFAULT 'pending'::text
  attempts integer NOT NULL DEFAULT 0
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now()
  claim uuid
  claimed_until timestamp with time zone
  http_status integer
  error text
  changed_at timestamp with time zone NOT NULL
  created_at timestamp with time zone NOT NULL DEFAULT now()
  sent_at timestamp with time zone
  CONSTRAINT callbacks_pkey PRIMARY KEY (id)
  CONSTRAINT callbacks_reference_seq_key UNIQUE (reference, seq)
  CONSTRAINT callbacks_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'dead'::text, 'superseded'::text])))
  CONSTRAINT callbacks_webhook_id_key UNIQUE (webhook_id)
  CREATE INDEX callbacks_by_reference ON public.callbacks USING btree (reference, id DESC)
  CREATE INDEX callbacks_by_status ON public.callbacks USING btree (status, id DESC)
  CREATE INDEX callbacks_due ON public.callbacks USING btree (next_attempt_at, id) WHERE (status = 'pending'::text)
  CREATE UNIQUE INDEX callbacks_reference_seq_key ON public.callbacks USING btree (reference, seq)
  CREATE UNIQUE INDEX callbacks_webhook_id_key ON public.callbacks USING btree (webhook_id)

TABLE canaries
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  nonce_hash bytea NOT NULL
  body_hash bytea NOT NULL
  every_seconds integer NOT NULL
  sent_at timestamp with time zone NOT NULL DEFAULT now()
  claimed_at timestamp with time zone
  finished_at timestamp with time zone
  answered_ms integer
  stored_ms integer
  applied_ms integer
  error text
  CONSTRAINT canaries_nonce_hash_key UNIQUE (nonce_hash)
  CONSTRAINT canaries_pkey PRIMARY KEY (id)
  CREATE INDEX canaries_sent ON public.canaries USING btree (sent_at)
  CREATE UNIQUE INDEX canaries_nonce_hash_key ON public.canaries USING btree (nonce_hash)

TABLE changes
  seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  xid xid8 NOT NULL DEFAULT pg_current_xact_id()
  entity_kind text NOT NULL
  entity_id text NOT NULL
  field text NOT NULL
  from_value text
  to_value text
  source_type text NOT NULL
  source_ref text NOT NULL
  service_time timestamp with time zone
  changed_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT changes_pkey PRIMARY KEY (seq)
  CREATE INDEX changes_by_entity ON public.changes USING btree (entity_kind, entity_id, seq)
  CREATE TRIGGER changes_announced BEFORE INSERT ON public.changes FOR EACH STATEMENT EXECUTE FUNCTION announce_changes()
  CREATE TRIGGER changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE check_agenda
  entity_kind text NOT NULL
  entity_id text NOT NULL
  due_at timestamp with time zone NOT NULL
  CONSTRAINT check_agenda_pkey PRIMARY KEY (entity_kind, entity_id)
  CREATE INDEX check_agenda_due ON public.check_agenda USING btree (due_at)

TABLE decisions
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  action text NOT NULL
  subject text NOT NULL
  input text NOT NULL
  preview text NOT NULL
  seen text NOT NULL
  reason text NOT NULL
  asked_by text NOT NULL
  asked_at timestamp with time zone NOT NULL DEFAULT now()
  state text NOT NULL DEFAULT 'waiting'::text
  decided_by text
  decided_at timestamp with time zone
  note text
  outcome text
  CONSTRAINT decisions_action_check CHECK ((action = ANY (ARRAY['attribute balance'::text, 'close period'::text, 'import rates'::text, 'mark settlement'::text, 'rebook attribution'::text, 'reopen period'::text, 'write off break'::text])))
  CONSTRAINT decisions_by_action TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT decisions_decided CHECK ((((state = 'waiting'::text) = (decided_by IS NULL)) AND ((state = 'waiting'::text) = (decided_at IS NULL))))
  CONSTRAINT decisions_pkey PRIMARY KEY (id)
  CONSTRAINT decisions_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'approved'::text, 'refused'::text, 'withdrawn'::text, 'expired'::text])))
  CONSTRAINT decisions_two_people CHECK (
CASE
    WHEN (state = ANY (ARRAY['approved'::text, 'refused'::text])) THEN (decision_person(decided_by) <> decision_person(asked_by))
    WHEN (state = 'withdrawn'::text) THEN (decision_person(decided_by) = decision_person(asked_by))
    ELSE true
END)
  CREATE UNIQUE INDEX decisions_waiting_once ON public.decisions USING btree (action, md5(input)) WHERE (state = 'waiting'::text)
  CREATE CONSTRAINT TRIGGER decisions_by_action AFTER INSERT OR UPDATE ON public.decisions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_decision_action()
  CREATE TRIGGER decisions_kept BEFORE DELETE OR TRUNCATE ON public.decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER decisions_once BEFORE UPDATE ON public.decisions FOR EACH ROW EXECUTE FUNCTION check_decision_change()

TABLE deliveries
  id text NOT NULL
  endpoint_id text
  endpoint_url text
  event_type text
  status text
  http_status integer
  attempts integer
  last_attempt_at timestamp with time zone
  next_retry_at timestamp with time zone
  created_at timestamp with time zone
  event_key text
  content_hash text
  event_timestamp double precision
  answered_id text
  answered_error text
  payload text
  payload_hash text
  ours boolean NOT NULL
  class text NOT NULL
  class_since timestamp with time zone NOT NULL DEFAULT now()
  reason text
  missed boolean NOT NULL DEFAULT false
  open boolean NOT NULL DEFAULT false
  inbox_id bigint
  recovered_at timestamp with time zone
  poll_from bigint NOT NULL
  poll_ref text NOT NULL
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  mentions text[] NOT NULL DEFAULT '{}'::text[]
  judge_at timestamp with time zone
  details text
  payment_intent_id text
  CONSTRAINT deliveries_class_check CHECK ((class = ANY (ARRAY['received'::text, 'received_sibling'::text, 'pending_retry'::text, 'rejected'::text, 'never_reached'::text, 'phantom'::text, 'other_endpoint'::text, 'too_old'::text, 'unrecoverable'::text])))
  CONSTRAINT deliveries_pkey PRIMARY KEY (id)
  CREATE INDEX deliveries_by_class ON public.deliveries USING btree (class, created_at DESC, id DESC) WHERE (class <> ALL (ARRAY['received'::text, 'other_endpoint'::text]))
  CREATE INDEX deliveries_by_endpoint ON public.deliveries USING btree (endpoint_id, created_at DESC, id DESC)
  CREATE INDEX deliveries_by_event ON public.deliveries USING btree (event_key)
  CREATE INDEX deliveries_by_inbox ON public.deliveries USING btree (inbox_id)
  CREATE INDEX deliveries_by_payment ON public.deliveries USING btree (payment_intent_id, created_at DESC, id DESC) WHERE (payment_intent_id IS NOT NULL)
  CREATE INDEX deliveries_by_status ON public.deliveries USING btree (status, created_at) WHERE ours
  CREATE INDEX deliveries_missed ON public.deliveries USING btree (class) WHERE missed
  CREATE INDEX deliveries_newest ON public.deliveries USING btree (created_at DESC, id DESC)
  CREATE INDEX deliveries_to_judge ON public.deliveries USING btree (judge_at) WHERE open
  CREATE INDEX deliveries_to_make_good ON public.deliveries USING btree (inbox_id) WHERE (open AND (inbox_id IS NOT NULL))
  CREATE INDEX deliveries_to_retry ON public.deliveries USING btree (next_retry_at) WHERE (ours AND (next_retry_at IS NOT NULL))
  CREATE INDEX deliveries_unnamed ON public.deliveries USING btree (event_type, created_at DESC) WHERE (payment_intent_id IS NULL)
  CREATE INDEX deliveries_unpaired ON public.deliveries USING btree (content_hash) WHERE ((inbox_id IS NULL) AND (content_hash IS NOT NULL))

TABLE ended_sessions
  owner text NOT NULL
  session text NOT NULL
  until timestamp with time zone NOT NULL
  CONSTRAINT ended_sessions_pkey PRIMARY KEY (owner, session)
  CREATE INDEX ended_sessions_by_until ON public.ended_sessions USING btree (until)

TABLE endpoints
  id text NOT NULL
  url text
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  poll_by text
  poll_ref text
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  settled boolean NOT NULL DEFAULT false
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  CONSTRAINT endpoints_pkey PRIMARY KEY (id)
  CREATE INDEX endpoints_newest ON public.endpoints USING btree (created_at DESC, id DESC)

TABLE entries
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  record_kind text NOT NULL
  record_id text NOT NULL
  key text NOT NULL
  version integer NOT NULL
  type text NOT NULL
  reverses bigint
  corrects bigint
  month text NOT NULL
  date date NOT NULL
  at timestamp with time zone NOT NULL
  day date NOT NULL
  dated_by text NOT NULL
  adjusts text
  description text NOT NULL
  sources jsonb NOT NULL
  observed jsonb
  written bigint NOT NULL
  posted_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT entries_check CHECK ((adjusts < month))
  CONSTRAINT entries_check1 CHECK (((type = 'entry'::text) = (corrects IS NULL)))
  CONSTRAINT entries_check2 CHECK (((type = 'reversal'::text) = (reverses IS NOT NULL)))
  CONSTRAINT entries_check3 CHECK ((to_char((date)::timestamp with time zone, 'YYYY-MM'::text) = month))
  CONSTRAINT entries_corrects_fkey FOREIGN KEY (corrects) REFERENCES entries(id)
  CONSTRAINT entries_have_lines TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT entries_month_check CHECK ((month ~ '^\d{4}-(0[1-9]|1[0-2])$'::text))
  CONSTRAINT entries_pkey PRIMARY KEY (id)
  CONSTRAINT entries_record_kind_record_id_key_version_key UNIQUE (record_kind, record_id, key, version)
  CONSTRAINT entries_reverses_fkey FOREIGN KEY (reverses) REFERENCES entries(id)
  CONSTRAINT entries_reverses_key UNIQUE (reverses)
  CONSTRAINT entries_type_check CHECK ((type = ANY (ARRAY['entry'::text, 'reversal'::text, 'correction'::text, 'change'::text])))
  CONSTRAINT entries_version_check CHECK ((version > 0))
  CREATE INDEX entries_by_day ON public.entries USING btree (day)
  CREATE INDEX entries_by_month ON public.entries USING btree (month, id)
  CREATE UNIQUE INDEX entries_record_kind_record_id_key_version_key ON public.entries USING btree (record_kind, record_id, key, version)
  CREATE UNIQUE INDEX entries_reverses_key ON public.entries USING btree (reverses)
  CREATE CONSTRAINT TRIGGER entries_have_lines AFTER INSERT ON public.entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_entry_lines()
  CREATE TRIGGER entries_announced BEFORE INSERT ON public.entries FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29769', 'entries_id_seq')
  CREATE TRIGGER entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER entries_by_month AFTER INSERT ON public.entries REFERENCING NEW TABLE AS new_entries FOR EACH STATEMENT EXECUTE FUNCTION add_entry_months()
  CREATE TRIGGER entries_open_month BEFORE INSERT ON public.entries FOR EACH ROW EXECUTE FUNCTION refuse_closed_month()

TABLE entry_lines
  entry_id bigint NOT NULL
  line integer NOT NULL
  account text NOT NULL
  asset_code text NOT NULL
  amount numeric NOT NULL
  memo boolean NOT NULL DEFAULT false
  CONSTRAINT entry_lines_account_check CHECK ((account ~ '^(assets|liabilities|equity|income|expenses)(:[A-Za-z0-9-]+)+$'::text))
  CONSTRAINT entry_lines_amount_check CHECK (((amount <> 'NaN'::numeric) AND (amount <> (0)::numeric) AND (scale(amount) <= 18)))
  CONSTRAINT entry_lines_balance TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT entry_lines_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES entries(id)
  CONSTRAINT entry_lines_pkey PRIMARY KEY (entry_id, line)
  CREATE INDEX entry_lines_by_account ON public.entry_lines USING btree (account, asset_code, entry_id)
  CREATE CONSTRAINT TRIGGER entry_lines_balance AFTER INSERT ON public.entry_lines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_entry_balance()
  CREATE TRIGGER entry_lines_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entry_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER entry_lines_by_month AFTER INSERT ON public.entry_lines REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION add_account_months()
  CREATE TRIGGER entry_lines_in_transit AFTER INSERT ON public.entry_lines REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION add_transit_days()
  CREATE TRIGGER entry_lines_with_entry AFTER INSERT ON public.entry_lines REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_late_line()

TABLE entry_months
  month text NOT NULL
  entries bigint NOT NULL
  CONSTRAINT entry_months_pkey PRIMARY KEY (month)
  CREATE TRIGGER entry_months_kept BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.entry_months FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand()

TABLE entry_rates
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  entry_id bigint NOT NULL
  asset_code text NOT NULL
  currency text NOT NULL
  rate numeric
  source text
  rate_at timestamp with time zone
  reason text
  valued_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT entry_rates_check CHECK ((((rate IS NULL) = (reason IS NOT NULL)) AND ((rate IS NULL) = (source IS NULL)) AND ((rate IS NULL) = (rate_at IS NULL))))
  CONSTRAINT entry_rates_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES entries(id)
  CONSTRAINT entry_rates_pkey PRIMARY KEY (id)
  CONSTRAINT entry_rates_rate_check CHECK (((rate <> 'NaN'::numeric) AND (rate > (0)::numeric)))
  CONSTRAINT entry_rates_source_check CHECK ((source = ANY (ARRAY['file'::text, 'payment'::text, 'service'::text])))
  CREATE INDEX entry_rates_by_entry ON public.entry_rates USING btree (entry_id, asset_code, id DESC)
  CREATE TRIGGER entry_rates_announced BEFORE INSERT ON public.entry_rates FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29770', 'entry_rates_id_seq')
  CREATE TRIGGER entry_rates_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entry_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER entry_rates_by_month AFTER INSERT ON public.entry_rates REFERENCING NEW TABLE AS new_rates FOR EACH STATEMENT EXECUTE FUNCTION add_account_values()
  CREATE TRIGGER entry_rates_given AFTER INSERT ON public.entry_rates REFERENCING NEW TABLE AS new_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_loose_rate()
  CREATE TRIGGER entry_rates_open_month AFTER INSERT ON public.entry_rates REFERENCING NEW TABLE AS new_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_closed_rate()

TABLE event_records
  entity_kind text NOT NULL
  entity_id text NOT NULL
  inbox_id bigint NOT NULL
  CONSTRAINT event_records_pkey PRIMARY KEY (entity_kind, entity_id, inbox_id)
  CREATE INDEX event_records_by_event ON public.event_records USING btree (inbox_id)

TABLE feed_windows
  proof text NOT NULL
  from_ms bigint NOT NULL
  to_ms bigint NOT NULL
  CONSTRAINT feed_windows_check CHECK ((to_ms > from_ms))
  CONSTRAINT feed_windows_pkey PRIMARY KEY (proof, from_ms)
  CONSTRAINT feed_windows_proof_check CHECK ((proof = ANY (ARRAY['counted'::text, 'read_twice'::text])))

TABLE filter_listings
  record_kind text NOT NULL
  status text NOT NULL
  from_ms bigint NOT NULL
  to_ms bigint NOT NULL
  ids text[] NOT NULL
  checked boolean NOT NULL DEFAULT false
  CONSTRAINT filter_listings_pkey PRIMARY KEY (record_kind, status)

TABLE given_rates
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  date date NOT NULL
  asset_code text NOT NULL
  currency text NOT NULL
  rate numeric(36,18) NOT NULL
  file_hash text NOT NULL
  actor text NOT NULL
  imported_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT given_rates_by_action TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT given_rates_pkey PRIMARY KEY (id)
  CONSTRAINT given_rates_rate_check CHECK (((rate <> 'NaN'::numeric) AND (rate > (0)::numeric)))
  CREATE INDEX given_rates_by_day ON public.given_rates USING btree (asset_code, currency, date, id DESC)
  CREATE CONSTRAINT TRIGGER given_rates_by_action AFTER INSERT ON public.given_rates DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_action('import rates')
  CREATE TRIGGER given_rates_announced BEFORE INSERT ON public.given_rates FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29771', 'given_rates_id_seq')
  CREATE TRIGGER given_rates_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.given_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE identity_evidence
  identity text NOT NULL
  held_by text[] NOT NULL DEFAULT '{}'::text[]
  failed_by text[] NOT NULL DEFAULT '{}'::text[]
  proven_at timestamp with time zone
  CONSTRAINT identity_evidence_pkey PRIMARY KEY (identity)

TABLE inbox
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  key text NOT NULL
  key_type text NOT NULL
  event_id text
  content_hash text NOT NULL
  event_type text NOT NULL
  event_timestamp double precision NOT NULL
  status text NOT NULL DEFAULT 'received'::text
  source text NOT NULL
  secret_label text
  arrivals integer NOT NULL DEFAULT 1
  received_at timestamp with time zone NOT NULL DEFAULT now()
  last_arrival_at timestamp with time zone NOT NULL DEFAULT now()
  body bytea
  attempts integer NOT NULL DEFAULT 0
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now()
  applied_at timestamp with time zone
  error text
  mark text
  CONSTRAINT inbox_key_key UNIQUE (key)
  CONSTRAINT inbox_key_type_check CHECK ((key_type = ANY (ARRAY['id'::text, 'fingerprint'::text])))
  CONSTRAINT inbox_pkey PRIMARY KEY (id)
  CONSTRAINT inbox_source_check CHECK ((source = ANY (ARRAY['webhook'::text, 'delivery_history'::text])))
  CONSTRAINT inbox_status_check CHECK ((status = ANY (ARRAY['received'::text, 'applied'::text, 'failed'::text, 'unhandled'::text, 'dead'::text])))
  CREATE INDEX inbox_by_content ON public.inbox USING btree (content_hash)
  CREATE INDEX inbox_by_status ON public.inbox USING btree (status, id DESC) WHERE (status = ANY (ARRAY['failed'::text, 'unhandled'::text, 'dead'::text]))
  CREATE INDEX inbox_by_type ON public.inbox USING btree (event_type, id DESC)
  CREATE INDEX inbox_open ON public.inbox USING btree (next_attempt_at) WHERE (status = ANY (ARRAY['received'::text, 'failed'::text]))
  CREATE UNIQUE INDEX inbox_key_key ON public.inbox USING btree (key)

TABLE inbox_repeats
  inbox_id bigint NOT NULL
  secret_label text NOT NULL
  arrivals integer NOT NULL
  first_at timestamp with time zone NOT NULL
  last_at timestamp with time zone NOT NULL
  CONSTRAINT inbox_arrivals_inbox_id_fkey FOREIGN KEY (inbox_id) REFERENCES inbox(id) ON DELETE CASCADE
  CONSTRAINT inbox_arrivals_pkey PRIMARY KEY (inbox_id, secret_label)

TABLE installation
  only_one boolean NOT NULL DEFAULT true
  adopted_at timestamp with time zone NOT NULL
  service_base_url text NOT NULL
  account_fingerprint text
  created_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT installation_only_one_check CHECK (only_one)
  CONSTRAINT installation_pkey PRIMARY KEY (only_one)
  CREATE TRIGGER installation_adopted_once BEFORE UPDATE OF adopted_at ON public.installation FOR EACH ROW WHEN ((old.adopted_at IS DISTINCT FROM new.adopted_at)) EXECUTE FUNCTION refuse_adoption()
  CREATE TRIGGER installation_kept BEFORE DELETE OR TRUNCATE ON public.installation FOR EACH STATEMENT EXECUTE FUNCTION refuse_adoption()

TABLE invoices
  id text NOT NULL
  status text
  payment_intent_id text
  currency text
  merchant_reference text
  amount numeric(36,18)
  expires_at timestamp with time zone
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  poll_by text
  poll_ref text
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  settled boolean NOT NULL DEFAULT false
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  CONSTRAINT invoices_amount_check CHECK ((amount <> 'NaN'::numeric))
  CONSTRAINT invoices_pkey PRIMARY KEY (id)
  CREATE INDEX invoices_by_intent ON public.invoices USING btree (payment_intent_id) WHERE (payment_intent_id IS NOT NULL)
  CREATE INDEX invoices_by_reference ON public.invoices USING btree (merchant_reference) WHERE (merchant_reference IS NOT NULL)
  CREATE INDEX invoices_by_status ON public.invoices USING btree (status, created_at DESC)
  CREATE INDEX invoices_newest ON public.invoices USING btree (created_at DESC, id DESC)
  CREATE INDEX invoices_open ON public.invoices USING btree (created_at DESC, id DESC) WHERE ((absent_since IS NULL) AND (status <> ALL (ARRAY['paid'::text, 'expired'::text, 'cancelled'::text])))
  CREATE INDEX invoices_unverified ON public.invoices USING btree (created_at DESC, id DESC) WHERE (NOT verified)
  CREATE TRIGGER invoices_money AFTER INSERT OR DELETE ON public.invoices FOR EACH ROW EXECUTE FUNCTION mark_invoiced_money()
  CREATE TRIGGER invoices_money_changed AFTER UPDATE ON public.invoices FOR EACH ROW WHEN (((((old.merchant_reference IS DISTINCT FROM new.merchant_reference) OR (old.payment_intent_id IS DISTINCT FROM new.payment_intent_id)) OR (old.absent_since IS DISTINCT FROM new.absent_since)) OR (old.own_call IS DISTINCT FROM new.own_call))) EXECUTE FUNCTION mark_invoiced_money()

TABLE match_amounts
  kind text NOT NULL
  id text NOT NULL
  code text NOT NULL
  state text NOT NULL
  opened_at timestamp with time zone NOT NULL
  asked numeric NOT NULL
  paid numeric NOT NULL
  returned numeric NOT NULL
  booked numeric NOT NULL
  value numeric NOT NULL
  unpriced integer NOT NULL
  CONSTRAINT match_amounts_asked_check CHECK ((asked <> 'NaN'::numeric))
  CONSTRAINT match_amounts_booked_check CHECK ((booked <> 'NaN'::numeric))
  CONSTRAINT match_amounts_kind_id_fkey FOREIGN KEY (kind, id) REFERENCES matches(kind, id) ON DELETE CASCADE
  CONSTRAINT match_amounts_paid_check CHECK ((paid <> 'NaN'::numeric))
  CONSTRAINT match_amounts_pkey PRIMARY KEY (kind, id, code)
  CONSTRAINT match_amounts_returned_check CHECK ((returned <> 'NaN'::numeric))
  CONSTRAINT match_amounts_value_check CHECK ((value <> 'NaN'::numeric))
  CREATE INDEX match_amounts_by_code ON public.match_amounts USING btree (code, state, opened_at DESC, kind DESC, id DESC)

TABLE match_days
  opened_on date NOT NULL
  code text NOT NULL
  state text NOT NULL
  matches bigint NOT NULL
  asked numeric NOT NULL
  paid numeric NOT NULL
  returned numeric NOT NULL
  booked numeric NOT NULL
  value numeric NOT NULL
  unpriced bigint NOT NULL
  CONSTRAINT match_days_pkey PRIMARY KEY (opened_on, code, state)

TABLE match_payments
  payment_id text NOT NULL
  kind text NOT NULL
  id text NOT NULL
  CONSTRAINT match_payments_kind_id_fkey FOREIGN KEY (kind, id) REFERENCES matches(kind, id) ON DELETE CASCADE
  CONSTRAINT match_payments_pkey PRIMARY KEY (payment_id)
  CREATE INDEX match_payments_by_match ON public.match_payments USING btree (kind, id)

TABLE match_progress
  only_one boolean NOT NULL DEFAULT true
  seq bigint NOT NULL DEFAULT 0
  rate_id bigint NOT NULL DEFAULT 0
  time_zone text NOT NULL
  currency text NOT NULL
  rules integer NOT NULL DEFAULT 0
  CONSTRAINT match_progress_only_one_check CHECK (only_one)
  CONSTRAINT match_progress_pkey PRIMARY KEY (only_one)

TABLE matches
  kind text NOT NULL
  id text NOT NULL
  state text NOT NULL
  reason text NOT NULL
  reasons jsonb NOT NULL
  opened_at timestamp with time zone NOT NULL
  opened_on date NOT NULL
  CONSTRAINT matches_kind_check CHECK ((kind = ANY (ARRAY['order'::text, 'invoice'::text, 'payment_intent'::text])))
  CONSTRAINT matches_pkey PRIMARY KEY (kind, id)
  CONSTRAINT matches_state_check CHECK ((state = ANY (ARRAY['matched'::text, 'partly_matched'::text, 'unmatched'::text])))
  CREATE INDEX matches_by_reason ON public.matches USING btree (state, reason, opened_at DESC, kind DESC, id DESC)
  CREATE INDEX matches_by_state ON public.matches USING btree (state, opened_at DESC, kind DESC, id DESC)

TABLE money_known
  hour timestamp with time zone NOT NULL
  CONSTRAINT money_known_pkey PRIMARY KEY (hour)

TABLE money_marks
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  hour timestamp with time zone NOT NULL
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
  CONSTRAINT money_marks_pkey PRIMARY KEY (id)

TABLE money_sums
  hour timestamp with time zone NOT NULL
  asset_code text NOT NULL
  sort text NOT NULL
  payments integer NOT NULL
  amount numeric NOT NULL
  CONSTRAINT money_sums_pkey PRIMARY KEY (hour, asset_code, sort)

TABLE movements
  record_kind text NOT NULL
  record_id text NOT NULL
  line integer NOT NULL
  part text NOT NULL
  operation text
  account_id text
  asset_code text
  delta numeric
  base numeric
  at timestamp with time zone
  why text
  limits numeric
  moved_from bigint NOT NULL
  CONSTRAINT movements_base_check CHECK ((base <> 'NaN'::numeric))
  CONSTRAINT movements_delta_check CHECK ((delta <> 'NaN'::numeric))
  CONSTRAINT movements_limits_check CHECK ((limits <> 'NaN'::numeric))
  CONSTRAINT movements_part_check CHECK ((part = ANY (ARRAY['explained'::text, 'unobservable'::text, 'unplaced'::text, 'unclear'::text])))
  CONSTRAINT movements_pkey PRIMARY KEY (record_kind, record_id, line)
  CREATE INDEX movements_by_account ON public.movements USING btree (account_id, asset_code) WHERE (account_id IS NOT NULL)
  CREATE INDEX movements_by_asset ON public.movements USING btree (asset_code, moved_from)
  CREATE INDEX movements_since_opening ON public.movements USING btree (asset_code) WHERE (delta IS DISTINCT FROM base)

TABLE movements_progress
  only_one boolean NOT NULL DEFAULT true
  seq bigint NOT NULL DEFAULT 0
  renewing_to bigint NOT NULL DEFAULT 0
  contract text NOT NULL
  CONSTRAINT movements_progress_only_one_check CHECK (only_one)
  CONSTRAINT movements_progress_pkey PRIMARY KEY (only_one)

TABLE newest_results
  name text NOT NULL
  at timestamp with time zone NOT NULL
  actor text NOT NULL
  result jsonb NOT NULL
  CONSTRAINT newest_results_pkey PRIMARY KEY (name)

TABLE opened_assets
  asset_code text NOT NULL
  balance numeric NOT NULL
  opened_at timestamp with time zone NOT NULL
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  CONSTRAINT opened_assets_balance_check CHECK ((balance <> 'NaN'::numeric))
  CONSTRAINT opened_assets_id_key UNIQUE (id)
  CONSTRAINT opened_assets_pkey PRIMARY KEY (asset_code)
  CREATE UNIQUE INDEX opened_assets_id_key ON public.opened_assets USING btree (id)
  CREATE TRIGGER opened_assets_announced BEFORE INSERT ON public.opened_assets FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29776', 'opened_assets_id_seq')
  CREATE TRIGGER opened_assets_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.opened_assets FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER opened_assets_by_proof AFTER INSERT ON public.opened_assets FOR EACH ROW EXECUTE FUNCTION check_opening()

TABLE order_registrations
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  reference text NOT NULL
  action text NOT NULL
  amount numeric(36,18)
  currency text
  actor text
  at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT order_registrations_action_check CHECK ((action = ANY (ARRAY['registered'::text, 'changed'::text, 'withdrawn'::text])))
  CONSTRAINT order_registrations_amount_check CHECK ((amount <> 'NaN'::numeric))
  CONSTRAINT order_registrations_check CHECK ((((action = 'withdrawn'::text) = (amount IS NULL)) AND ((amount IS NULL) = (currency IS NULL))))
  CONSTRAINT order_registrations_pkey PRIMARY KEY (id)
  CREATE INDEX order_registrations_by_reference ON public.order_registrations USING btree (reference, id)
  CREATE INDEX order_registrations_by_time ON public.order_registrations USING btree (at)
  CREATE TRIGGER order_registrations_append_only BEFORE DELETE OR UPDATE ON public.order_registrations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER order_registrations_kept BEFORE DELETE OR TRUNCATE ON public.order_registrations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE orders
  reference text NOT NULL
  expected_amount numeric(36,18)
  expected_currency text
  registered_at timestamp with time zone
  status text NOT NULL
  payment_intents text[] NOT NULL DEFAULT '{}'::text[]
  invoices text[] NOT NULL DEFAULT '{}'::text[]
  refunds text[] NOT NULL DEFAULT '{}'::text[]
  release_safe boolean NOT NULL
  release_reason text NOT NULL
  release_proven_at timestamp with time zone
  created_at timestamp with time zone NOT NULL DEFAULT now()
  updated_at timestamp with time zone NOT NULL DEFAULT now()
  reference_skeleton text
  held_by_reports boolean NOT NULL DEFAULT false
  refuted_at timestamp with time zone[] NOT NULL DEFAULT '{}'::timestamp with time zone[]
  difference_amount numeric
  difference_currency text
  received_amount numeric
  received_asset text
  CONSTRAINT orders_expected_amount_check CHECK ((expected_amount <> 'NaN'::numeric))
  CONSTRAINT orders_pkey PRIMARY KEY (reference)
  CREATE INDEX orders_by_reason ON public.orders USING btree (release_reason, created_at DESC, reference DESC) WHERE ((release_reason <> status) AND (release_reason <> 'proven'::text))
  CREATE INDEX orders_by_received ON public.orders USING btree (received_asset, received_amount) WHERE (received_asset IS NOT NULL)
  CREATE INDEX orders_by_release ON public.orders USING btree (release_safe, status, created_at DESC, reference DESC)
  CREATE INDEX orders_by_skeleton ON public.orders USING btree (reference_skeleton)
  CREATE INDEX orders_by_status ON public.orders USING btree (status, created_at DESC)
  CREATE INDEX orders_by_update ON public.orders USING btree (updated_at)
  CREATE INDEX orders_newest ON public.orders USING btree (created_at DESC, reference DESC)
  CREATE INDEX orders_refund_unlinked ON public.orders USING btree (reference) WHERE (release_reason = 'refund_unlinked'::text)
  CREATE INDEX orders_registered ON public.orders USING btree (registered_at) WHERE (registered_at IS NOT NULL)
  CREATE INDEX orders_without_skeleton ON public.orders USING btree (reference) WHERE (reference_skeleton IS NULL)
  CREATE TRIGGER orders_money AFTER INSERT ON public.orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_new_orders_money()
  CREATE TRIGGER orders_money_changed AFTER UPDATE ON public.orders FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.release_safe IS DISTINCT FROM new.release_safe))) EXECUTE FUNCTION mark_ordered_money()
  CREATE TRIGGER orders_money_gone AFTER DELETE ON public.orders FOR EACH ROW EXECUTE FUNCTION mark_ordered_money()

TABLE payin_listings
  payin_id text NOT NULL
  intent_id text NOT NULL
  CONSTRAINT payin_listings_pkey PRIMARY KEY (payin_id, intent_id)

TABLE payins
  id text NOT NULL
  payment_intent_id text
  status text
  kyt_status text
  asset_code text
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  poll_by text
  poll_ref text
  settled boolean NOT NULL DEFAULT false
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  txid text
  CONSTRAINT payins_pkey PRIMARY KEY (id)
  CREATE INDEX payins_by_asset ON public.payins USING btree (asset_code)
  CREATE INDEX payins_by_intent ON public.payins USING btree (payment_intent_id)
  CREATE INDEX payins_by_txid ON public.payins USING btree (txid) WHERE (txid IS NOT NULL)
  CREATE INDEX payins_newest ON public.payins USING btree (created_at DESC, id DESC)
  CREATE INDEX payins_unverified ON public.payins USING btree (created_at DESC, id DESC) WHERE (NOT verified)
  CREATE INDEX payins_without_txid ON public.payins USING btree (id) WHERE ((txid IS NULL) AND (shown ~~ '%"txid":"%'::text))
  CREATE TRIGGER payins_money AFTER INSERT ON public.payins REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_new_money()
  CREATE TRIGGER payins_money_changed AFTER UPDATE ON public.payins FOR EACH ROW WHEN (((((((((old.created_at IS DISTINCT FROM new.created_at) OR (old.asset_code IS DISTINCT FROM new.asset_code)) OR (old.payment_intent_id IS DISTINCT FROM new.payment_intent_id)) OR (old.status IS DISTINCT FROM new.status)) OR (old.verified IS DISTINCT FROM new.verified)) OR (old.doubted IS DISTINCT FROM new.doubted)) OR (old.absent_since IS DISTINCT FROM new.absent_since)) OR (old.shown IS DISTINCT FROM new.shown))) EXECUTE FUNCTION mark_moved_money()
  CREATE TRIGGER payins_money_gone AFTER DELETE ON public.payins FOR EACH ROW EXECUTE FUNCTION mark_moved_money()

TABLE payment_intents
  id text NOT NULL
  status text
  irregular_status text
  merchant_reference text
  invoice_id text
  product_id text
  currency_requested text
  amount_requested numeric(36,18)
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  poll_by text
  poll_ref text
  settled boolean NOT NULL DEFAULT false
  irregular_refund_payout_id text
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  reported_reference text
  reported_paid boolean NOT NULL DEFAULT false
  asset_code text
  CONSTRAINT payment_intents_amount_requested_check CHECK ((amount_requested <> 'NaN'::numeric))
  CONSTRAINT payment_intents_pkey PRIMARY KEY (id)
  CREATE INDEX payment_intents_by_asset ON public.payment_intents USING btree (asset_code, created_at DESC, id DESC) WHERE (asset_code IS NOT NULL)
  CREATE INDEX payment_intents_by_invoice ON public.payment_intents USING btree (invoice_id) WHERE (invoice_id IS NOT NULL)
  CREATE INDEX payment_intents_by_product ON public.payment_intents USING btree (product_id, status) INCLUDE (absent_since) WHERE (product_id IS NOT NULL)
  CREATE INDEX payment_intents_by_reference ON public.payment_intents USING btree (merchant_reference)
  CREATE INDEX payment_intents_by_refund ON public.payment_intents USING btree (irregular_refund_payout_id) WHERE (irregular_refund_payout_id IS NOT NULL)
  CREATE INDEX payment_intents_by_reported ON public.payment_intents USING btree (reported_reference) WHERE (reported_paid AND (NOT known) AND (absent_since IS NULL))
  CREATE INDEX payment_intents_by_status ON public.payment_intents USING btree (status, created_at DESC)
  CREATE INDEX payment_intents_newest ON public.payment_intents USING btree (created_at DESC, id DESC)
  CREATE INDEX payment_intents_open ON public.payment_intents USING btree (created_at DESC, id DESC) WHERE ((absent_since IS NULL) AND ((status <> ALL (ARRAY['completed'::text, 'expired'::text, 'cancelled'::text])) OR (irregular_status = 'pending_decision'::text)))
  CREATE INDEX payment_intents_reported_paid ON public.payment_intents USING btree (created_at) WHERE reported_paid
  CREATE INDEX payment_intents_unverified ON public.payment_intents USING btree (created_at DESC, id DESC) WHERE (NOT verified)
  CREATE INDEX payment_intents_without_asset ON public.payment_intents USING btree (id) WHERE ((asset_code IS NULL) AND (shown ~~ '%"assetCode":"%'::text))
  CREATE TRIGGER payment_intents_money AFTER INSERT ON public.payment_intents REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_new_payments_money()
  CREATE TRIGGER payment_intents_money_changed AFTER UPDATE ON public.payment_intents FOR EACH ROW WHEN ((((old.merchant_reference IS DISTINCT FROM new.merchant_reference) OR (old.invoice_id IS DISTINCT FROM new.invoice_id)) OR (old.known IS DISTINCT FROM new.known))) EXECUTE FUNCTION mark_payment_money()
  CREATE TRIGGER payment_intents_money_gone AFTER DELETE ON public.payment_intents FOR EACH ROW EXECUTE FUNCTION mark_payment_money()

TABLE payouts
  id text NOT NULL
  status text
  payout_type text
  asset_code text
  merchant_reference text
  payment_intent_id text
  txid text
  amount numeric(36,18)
  created_at timestamp with time zone
  updated_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  poll_by text
  poll_ref text
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  settled boolean NOT NULL DEFAULT false
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  searched_at bigint
  CONSTRAINT payouts_amount_check CHECK ((amount <> 'NaN'::numeric))
  CONSTRAINT payouts_pkey PRIMARY KEY (id)
  CREATE INDEX payouts_by_asset ON public.payouts USING btree (asset_code)
  CREATE INDEX payouts_by_intent ON public.payouts USING btree (payment_intent_id) WHERE (payment_intent_id IS NOT NULL)
  CREATE INDEX payouts_by_reference ON public.payouts USING btree (merchant_reference) WHERE (merchant_reference IS NOT NULL)
  CREATE INDEX payouts_by_status ON public.payouts USING btree (status, created_at DESC)
  CREATE INDEX payouts_by_txid ON public.payouts USING btree (txid) WHERE (txid IS NOT NULL)
  CREATE INDEX payouts_by_type ON public.payouts USING btree (lower(payout_type), created_at DESC, id DESC)
  CREATE INDEX payouts_in_hand ON public.payouts USING btree (id) WHERE ((absent_since IS NULL) AND ((status IS NULL) OR (status <> ALL (ARRAY['confirmed'::text, 'failed'::text]))))
  CREATE INDEX payouts_newest ON public.payouts USING btree (created_at DESC, id DESC)
  CREATE INDEX payouts_open ON public.payouts USING btree (created_at DESC, id DESC) WHERE ((absent_since IS NULL) AND (status <> ALL (ARRAY['confirmed'::text, 'failed'::text])))
  CREATE INDEX payouts_unverified ON public.payouts USING btree (created_at DESC, id DESC) WHERE (NOT verified)
  CREATE TRIGGER payouts_money AFTER INSERT ON public.payouts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_new_money()
  CREATE TRIGGER payouts_money_changed AFTER UPDATE ON public.payouts FOR EACH ROW WHEN (((((((((old.created_at IS DISTINCT FROM new.created_at) OR (old.asset_code IS DISTINCT FROM new.asset_code)) OR (old.payout_type IS DISTINCT FROM new.payout_type)) OR (old.amount IS DISTINCT FROM new.amount)) OR (old.status IS DISTINCT FROM new.status)) OR (old.verified IS DISTINCT FROM new.verified)) OR (old.doubted IS DISTINCT FROM new.doubted)) OR (old.absent_since IS DISTINCT FROM new.absent_since))) EXECUTE FUNCTION mark_moved_money()
  CREATE TRIGGER payouts_money_gone AFTER DELETE ON public.payouts FOR EACH ROW EXECUTE FUNCTION mark_moved_money()

TABLE period_file_parts
  file_id bigint NOT NULL
  part integer NOT NULL
  content bytea NOT NULL
  CONSTRAINT period_file_parts_file_id_fkey FOREIGN KEY (file_id) REFERENCES period_files(id) DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT period_file_parts_of_file TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT period_file_parts_pkey PRIMARY KEY (file_id, part)
  CREATE CONSTRAINT TRIGGER period_file_parts_of_file AFTER INSERT ON public.period_file_parts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_period_file_part()
  CREATE TRIGGER period_file_parts_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.period_file_parts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE period_files
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  month text NOT NULL
  closing integer NOT NULL
  format text NOT NULL
  name text NOT NULL
  sha256 text NOT NULL
  bytes bigint NOT NULL
  stored_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT period_files_month_closing_name_key UNIQUE (month, closing, name)
  CONSTRAINT period_files_month_fkey FOREIGN KEY (month) REFERENCES periods(month)
  CONSTRAINT period_files_of_closing TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT period_files_pkey PRIMARY KEY (id)
  CONSTRAINT period_files_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
  CREATE UNIQUE INDEX period_files_month_closing_name_key ON public.period_files USING btree (month, closing, name)
  CREATE CONSTRAINT TRIGGER period_files_of_closing AFTER INSERT ON public.period_files DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_period_file()
  CREATE TRIGGER period_files_announced BEFORE INSERT ON public.period_files FOR EACH STATEMENT EXECUTE FUNCTION announce_rows('29774', 'period_files_id_seq')
  CREATE TRIGGER period_files_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.period_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE periods
  month text NOT NULL
  status text NOT NULL DEFAULT 'open'::text
  closed_at timestamp with time zone
  closed_by text
  reason text
  closings integer NOT NULL DEFAULT 0
  reopened_at timestamp with time zone
  reopened_by text
  CONSTRAINT periods_by_action TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT periods_check CHECK (((status <> 'closed'::text) OR ((closed_at IS NOT NULL) AND (closed_by IS NOT NULL))))
  CONSTRAINT periods_month_check CHECK ((month ~ '^\d{4}-(0[1-9]|1[0-2])$'::text))
  CONSTRAINT periods_pkey PRIMARY KEY (month)
  CONSTRAINT periods_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
  CREATE INDEX periods_closed ON public.periods USING btree (month) WHERE (status = 'closed'::text)
  CREATE CONSTRAINT TRIGGER periods_by_action AFTER INSERT OR UPDATE ON public.periods DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_period_action()
  CREATE TRIGGER periods_kept BEFORE DELETE OR TRUNCATE ON public.periods FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE personal_key
  only_one boolean NOT NULL DEFAULT true
  key bytea NOT NULL
  CONSTRAINT personal_key_only_one_check CHECK (only_one)
  CONSTRAINT personal_key_pkey PRIMARY KEY (only_one)

TABLE posting_due
  record_kind text NOT NULL
  record_id text NOT NULL
  CONSTRAINT posting_due_pkey PRIMARY KEY (record_kind, record_id)

TABLE posting_progress
  only_one boolean NOT NULL DEFAULT true
  seq bigint NOT NULL
  contract text NOT NULL
  CONSTRAINT posting_progress_only_one_check CHECK (only_one)
  CONSTRAINT posting_progress_pkey PRIMARY KEY (only_one)
  CREATE TRIGGER posting_progress_kept BEFORE DELETE OR TRUNCATE ON public.posting_progress FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  CREATE TRIGGER posting_progress_onward BEFORE INSERT OR UPDATE ON public.posting_progress FOR EACH ROW EXECUTE FUNCTION check_posting_progress()

TABLE products
  id text NOT NULL
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  poll_by text
  poll_ref text
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  settled boolean NOT NULL DEFAULT false
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  CONSTRAINT products_pkey PRIMARY KEY (id)
  CREATE INDEX products_newest ON public.products USING btree (created_at DESC, id DESC)

TABLE reading_marks
  kind text NOT NULL
  id text NOT NULL
  reason text NOT NULL
  marked_at timestamp with time zone NOT NULL DEFAULT now()
  attempts integer NOT NULL DEFAULT 0
  next_at timestamp with time zone NOT NULL DEFAULT now()
  asked_at bigint NOT NULL DEFAULT 0
  lane text NOT NULL DEFAULT 'poll'::text
  secret text NOT NULL DEFAULT ''::text
  final_since timestamp with time zone
  CONSTRAINT reading_marks_lane_check CHECK ((lane = ANY (ARRAY['listed'::text, 'poll'::text, 'crowded'::text, 'hold'::text, 'report'::text, 'recheck'::text])))
  CONSTRAINT reading_marks_pkey PRIMARY KEY (kind, id)
  CREATE INDEX reading_marks_by_lane ON public.reading_marks USING btree (kind, lane, secret, next_at, id)

TABLE refund_assignments
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  payout_id text NOT NULL
  payment_intent_id text
  note text NOT NULL
  actor text NOT NULL
  assigned_at timestamp with time zone NOT NULL DEFAULT now()
  named text[] NOT NULL DEFAULT '{}'::text[]
  CONSTRAINT refund_assignments_pkey PRIMARY KEY (id)
  CREATE INDEX refund_assignments_by_intent ON public.refund_assignments USING btree (payment_intent_id) WHERE (payment_intent_id IS NOT NULL)
  CREATE INDEX refund_assignments_newest ON public.refund_assignments USING btree (payout_id, id DESC)
  CREATE TRIGGER refund_assignments_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.refund_assignments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE rejection_counts
  hour timestamp with time zone NOT NULL
  reason text NOT NULL
  count bigint NOT NULL
  like_service bigint NOT NULL DEFAULT 0
  first_at timestamp with time zone
  last_at timestamp with time zone
  CONSTRAINT rejection_counts_pkey PRIMARY KEY (hour, reason)

TABLE rejections
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  reason text NOT NULL
  detail text NOT NULL
  diagnosis text
  body_size integer NOT NULL
  body_hash text NOT NULL
  first_bytes bytea NOT NULL
  rejected_at timestamp with time zone NOT NULL DEFAULT now()
  like_service boolean NOT NULL DEFAULT false
  CONSTRAINT rejections_pkey PRIMARY KEY (id)
  CREATE INDEX rejections_by_body ON public.rejections USING btree (body_hash)
  CREATE INDEX rejections_by_reason ON public.rejections USING btree (reason, id DESC)

TABLE repeated_refusals
  actor text NOT NULL
  action text NOT NULL
  since timestamp with time zone NOT NULL
  folded bigint NOT NULL DEFAULT 0
  CONSTRAINT repeated_refusals_pkey PRIMARY KEY (actor, action)

TABLE report_checks
  inbox_id bigint NOT NULL
  secret_label text NOT NULL
  received_at timestamp with time zone NOT NULL
  state text NOT NULL
  single boolean NOT NULL DEFAULT false
  reason text
  judged_at timestamp with time zone
  CONSTRAINT report_checks_pkey PRIMARY KEY (inbox_id)
  CONSTRAINT report_checks_state_check CHECK ((state = ANY (ARRAY['matched'::text, 'unmatched'::text, 'not_sent'::text, 'differs'::text])))
  CREATE INDEX report_checks_lacking ON public.report_checks USING btree (secret_label, received_at) WHERE (state = ANY (ARRAY['not_sent'::text, 'differs'::text]))
  CREATE INDEX report_checks_matched ON public.report_checks USING btree (inbox_id) WHERE (state = 'matched'::text)
  CREATE INDEX report_checks_single ON public.report_checks USING btree (judged_at) WHERE single
  CREATE INDEX report_checks_unmatched ON public.report_checks USING btree (secret_label, received_at) WHERE (state = 'unmatched'::text)

TABLE reported_refunds
  payout_id text NOT NULL
  said_of text NOT NULL
  name text NOT NULL
  said_to bigint NOT NULL
  said_by text NOT NULL
  CONSTRAINT reported_refunds_pkey PRIMARY KEY (payout_id, said_of, name, said_by)
  CONSTRAINT reported_refunds_said_of_check CHECK ((said_of = ANY (ARRAY['payment'::text, 'order'::text])))
  CREATE INDEX reported_refunds_by_name ON public.reported_refunds USING btree (name, said_of)
  CREATE INDEX reported_refunds_by_report ON public.reported_refunds USING btree (said_by)

TABLE retention
  task text NOT NULL
  place text
  cutoff timestamp with time zone NOT NULL
  done bigint NOT NULL DEFAULT 0
  whole_at timestamp with time zone NOT NULL
  started_at timestamp with time zone NOT NULL
  finished_at timestamp with time zone
  CONSTRAINT retention_pkey PRIMARY KEY (task)

TABLE runs
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  kind text NOT NULL
  full boolean NOT NULL
  status text NOT NULL DEFAULT 'running'::text
  calls integer NOT NULL DEFAULT 0
  seen bigint NOT NULL DEFAULT 0
  changed bigint NOT NULL DEFAULT 0
  breaks_opened integer NOT NULL DEFAULT 0
  complete boolean NOT NULL DEFAULT false
  proof jsonb NOT NULL DEFAULT '{}'::jsonb
  started_at timestamp with time zone NOT NULL DEFAULT now()
  heartbeat_at timestamp with time zone NOT NULL DEFAULT now()
  finished_at timestamp with time zone
  error text
  CONSTRAINT runs_pkey PRIMARY KEY (id)
  CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text, 'aborted'::text])))
  CREATE INDEX runs_by_kind ON public.runs USING btree (kind, id DESC)
  CREATE INDEX runs_full ON public.runs USING btree (id DESC) WHERE "full"
  CREATE INDEX runs_incomplete ON public.runs USING btree (id DESC) WHERE (NOT complete)

TABLE scorecard_days
  day date NOT NULL
  time_zone text NOT NULL
  counted_at timestamp with time zone NOT NULL
  counts jsonb NOT NULL
  CONSTRAINT scorecard_days_pkey PRIMARY KEY (day, time_zone)

TABLE seal_checks
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  started_at timestamp with time zone NOT NULL
  finished_at timestamp with time zone NOT NULL
  actor text NOT NULL
  first_seal bigint NOT NULL
  last_seal bigint NOT NULL
  head_hash text NOT NULL
  rows bigint NOT NULL
  findings integer NOT NULL
  first_finding text
  is_whole boolean NOT NULL
  CONSTRAINT seal_checks_pkey PRIMARY KEY (id)
  CREATE TRIGGER seal_checks_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.seal_checks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE seal_head
  only_one boolean NOT NULL DEFAULT true
  number bigint NOT NULL
  hash text NOT NULL
  CONSTRAINT seal_head_only_one_check CHECK (only_one)
  CONSTRAINT seal_head_pkey PRIMARY KEY (only_one)

TABLE seals
  number bigint NOT NULL
  log text NOT NULL
  after bigint NOT NULL
  until bigint NOT NULL
  rows integer NOT NULL
  row_hashes bytea NOT NULL
  rows_hash text NOT NULL
  previous text NOT NULL
  sealed_at timestamp(3) with time zone NOT NULL
  hash text NOT NULL
  CONSTRAINT seals_after_check CHECK ((after >= 0))
  CONSTRAINT seals_check CHECK ((until > after))
  CONSTRAINT seals_number_check CHECK ((number > 0))
  CONSTRAINT seals_pkey PRIMARY KEY (number)
  CONSTRAINT seals_rows_check CHECK ((rows > 0))
  CREATE INDEX seals_by_log ON public.seals USING btree (log, number DESC)
  CREATE TRIGGER seals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE search_keys
  key bigint NOT NULL
  kind text NOT NULL
  id text NOT NULL
  CONSTRAINT search_keys_pkey PRIMARY KEY (key, kind, id)

TABLE secret_matches
  label text NOT NULL
  hour timestamp with time zone NOT NULL
  count bigint NOT NULL
  CONSTRAINT secret_matches_pkey PRIMARY KEY (label, hour)

TABLE secrets
  label text NOT NULL
  fingerprint text NOT NULL
  first_match_at timestamp with time zone
  last_match_at timestamp with time zone
  endpoint_id text
  retired_at timestamp with time zone
  retired_note text
  retired_by text
  leaked_at timestamp with time zone
  CONSTRAINT secrets_pkey PRIMARY KEY (label)

TABLE service_call_counts
  hour timestamp with time zone NOT NULL
  operation text NOT NULL
  outcome text NOT NULL
  count bigint NOT NULL
  CONSTRAINT service_call_counts_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'refused'::text, 'limited'::text, 'failed'::text, 'no_answer'::text])))
  CONSTRAINT service_call_counts_pkey PRIMARY KEY (hour, operation, outcome)

TABLE service_rate
  name text NOT NULL
  next_at timestamp with time zone NOT NULL
  CONSTRAINT service_rate_pkey PRIMARY KEY (name)

TABLE service_writes
  operation text NOT NULL
  key text NOT NULL
  hash text NOT NULL
  status text NOT NULL DEFAULT 'open'::text
  request text
  object_id text
  begun_at timestamp with time zone NOT NULL DEFAULT now()
  leased_until timestamp with time zone NOT NULL
  ended_at timestamp with time zone
  payment_intent_id text
  merchant_reference text
  account_id text
  taken_in_at timestamp with time zone
  derived boolean NOT NULL DEFAULT false
  withholds boolean NOT NULL DEFAULT ((operation = 'createRefund'::text) AND ((status = ANY (ARRAY['open'::text, 'lost'::text])) OR ((status = 'done'::text) AND (taken_in_at IS NULL))))
  CONSTRAINT service_writes_pkey PRIMARY KEY (operation, key)
  CONSTRAINT service_writes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'done'::text, 'refused'::text, 'unsent'::text, 'lost'::text])))
  CREATE INDEX service_writes_open ON public.service_writes USING btree (begun_at) WHERE (status = ANY (ARRAY['open'::text, 'lost'::text]))
  CREATE INDEX service_writes_refunds ON public.service_writes USING btree (payment_intent_id) WHERE (operation = 'createRefund'::text)
  CREATE INDEX service_writes_to_derive ON public.service_writes USING btree (begun_at) WHERE ((operation = 'createRefund'::text) AND (NOT derived))
  CREATE INDEX service_writes_to_take_in ON public.service_writes USING btree (begun_at) WHERE ((taken_in_at IS NULL) AND (object_id IS NOT NULL) AND (operation <> 'createTransfer'::text))
  CREATE TRIGGER service_writes_changed BEFORE INSERT OR UPDATE ON public.service_writes FOR EACH ROW EXECUTE FUNCTION service_write_changed()

TABLE setting_signs
  setting text NOT NULL
  value text NOT NULL
  part text NOT NULL
  seen_at timestamp with time zone NOT NULL
  CONSTRAINT setting_signs_pkey PRIMARY KEY (setting, value, part)

TABLE settlement_accounts
  id text NOT NULL
  revoked_at timestamp with time zone
  matured_at timestamp with time zone
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  poll_by text
  poll_ref text
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  settled boolean NOT NULL DEFAULT false
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  CONSTRAINT settlement_accounts_pkey PRIMARY KEY (id)
  CREATE INDEX settlement_accounts_newest ON public.settlement_accounts USING btree (created_at DESC, id DESC)

TABLE settlement_arrivals
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  payout_id text NOT NULL
  amount numeric(36,18)
  currency text
  arrived_on date
  bank_reference text
  difference text
  note text NOT NULL
  actor text NOT NULL
  at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT settlement_arrivals_amount_check CHECK (((amount <> 'NaN'::numeric) AND (amount >= (0)::numeric)))
  CONSTRAINT settlement_arrivals_by_action TRIGGER DEFERRABLE INITIALLY DEFERRED
  CONSTRAINT settlement_arrivals_check CHECK ((((amount IS NULL) = (currency IS NULL)) AND ((amount IS NULL) = (arrived_on IS NULL))))
  CONSTRAINT settlement_arrivals_check1 CHECK (((amount IS NOT NULL) OR ((bank_reference IS NULL) AND (difference IS NULL))))
  CONSTRAINT settlement_arrivals_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
  CONSTRAINT settlement_arrivals_difference_check CHECK ((difference = ANY (ARRAY['fees'::text, 'rate'::text, 'unexplained'::text])))
  CONSTRAINT settlement_arrivals_note_check CHECK ((note <> ''::text))
  CONSTRAINT settlement_arrivals_pkey PRIMARY KEY (id)
  CREATE INDEX settlement_arrivals_by_payout ON public.settlement_arrivals USING btree (payout_id, id DESC)
  CREATE CONSTRAINT TRIGGER settlement_arrivals_by_action AFTER INSERT ON public.settlement_arrivals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_action('mark settlement')
  CREATE TRIGGER settlement_arrivals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.settlement_arrivals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

TABLE settlement_methods
  asset_code text NOT NULL
  content text
  read_at timestamp with time zone NOT NULL
  CONSTRAINT settlement_methods_pkey PRIMARY KEY (asset_code)

TABLE signs_of_life
  part text NOT NULL
  seen_at timestamp with time zone NOT NULL
  CONSTRAINT signs_of_life_pkey PRIMARY KEY (part)

TABLE transactions
  id text NOT NULL
  account_id text
  asset_code text
  type text
  amount numeric(36,18)
  fee_amount numeric(36,18)
  created_at timestamp with time zone
  poll text
  poll_hash text
  poll_from bigint
  poll_to bigint
  poll_by text
  poll_ref text
  claims text NOT NULL DEFAULT '[]'::text
  shown text NOT NULL
  verified boolean NOT NULL
  settled boolean NOT NULL DEFAULT false
  verified_at timestamp with time zone
  observed_at timestamp with time zone NOT NULL
  observed_by_type text NOT NULL
  observed_by_ref text NOT NULL
  absent_since timestamp with time zone
  first_seen_at timestamp with time zone NOT NULL DEFAULT now()
  masked boolean NOT NULL DEFAULT false
  reported text
  known boolean NOT NULL DEFAULT true
  doubted boolean NOT NULL DEFAULT false
  own_call text
  CONSTRAINT transactions_amount_check CHECK ((amount <> 'NaN'::numeric))
  CONSTRAINT transactions_fee_amount_check CHECK ((fee_amount <> 'NaN'::numeric))
  CONSTRAINT transactions_pkey PRIMARY KEY (id)
  CREATE INDEX transactions_by_account ON public.transactions USING btree (account_id, created_at DESC)
  CREATE INDEX transactions_by_asset ON public.transactions USING btree (asset_code, created_at DESC)
  CREATE INDEX transactions_newest ON public.transactions USING btree (created_at DESC, id DESC)
  CREATE INDEX transactions_unverified ON public.transactions USING btree (created_at DESC, id DESC) WHERE (NOT verified)

TABLE transit_days
  asset_code text NOT NULL
  month text NOT NULL
  day date NOT NULL
  amount numeric NOT NULL
  last_at timestamp with time zone NOT NULL
  CONSTRAINT transit_days_pkey PRIMARY KEY (asset_code, month, day)
  CREATE TRIGGER transit_days_kept BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.transit_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand()

TABLE unread_intervals
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
  kind text NOT NULL
  list text NOT NULL
  newer_id text
  older_id text
  run_id bigint
  updated_at timestamp with time zone NOT NULL DEFAULT now()
  token text
  CONSTRAINT unread_intervals_pkey PRIMARY KEY (id)
  CONSTRAINT unread_intervals_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)

TABLE watermarks
  kind text NOT NULL
  name text NOT NULL
  value jsonb NOT NULL
  run_id bigint
  updated_at timestamp with time zone NOT NULL DEFAULT now()
  CONSTRAINT watermarks_pkey PRIMARY KEY (kind, name)
  CONSTRAINT watermarks_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
