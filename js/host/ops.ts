// The ops that Rust offers. Taken from `core.ops` and not from the module 'ext:core/ops': that one is fixed in the base
// snapshot, before our ops exist (crates/engine/src/snapshot.rs).

import {core} from 'ext:core/mod.js';

export const {
  op_dtm_cancelled,
  op_dtm_input_next,
  op_dtm_link_close,
  op_dtm_link_events,
  op_dtm_link_open,
  op_dtm_link_request,
  op_dtm_log,
  op_dtm_now,
  op_dtm_output_text,
  op_dtm_output_words,
  op_dtm_progress,
  op_dtm_random_fill,
  op_dtm_resource_text,
  op_dtm_worker_start,
  op_dtm_worker_terminate,
} = core.ops;
