//! The V8 host, in this process: what isolates can do, how they fail, how they end.

use std::path::Path;
use std::time::{Duration, Instant};

use devtools_engine::{Call, EngineError, IsolateHandle, IsolateOptions, Kind};
use devtools_mcp::devtools::blobs::engine;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::root;

const MB: usize = 1024 * 1024;

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(work)
}

async fn isolate(heap_limit: usize) -> IsolateHandle {
    engine().start(IsolateOptions::new(Kind::Main, "test".into(), heap_limit)).await.unwrap()
}

async fn ask(isolate: &IsolateHandle, method: &'static str, params: Value) -> Result<Value, EngineError> {
    isolate.call(Call::new(method, params)).await
}

#[test]
fn intl_works_after_the_snapshot() {
    block_on(async {
        let answer = ask(&isolate(512 * MB).await, "diagnostics.intl", json!({})).await.unwrap();
        assert_eq!(answer, json!({"number": "1.234.567,89", "date": "January 1, 1970"}));
    });
}

#[test]
fn language_features_need_no_polyfills() {
    block_on(async {
        let answer = ask(&isolate(512 * MB).await, "diagnostics.features", json!({})).await.unwrap();
        let features = answer.as_object().unwrap();
        assert!(features.len() == 4 && features.values().all(|v| v == true), "{answer}");
    });
}

#[test]
fn errors_carry_stacks_in_our_own_sources() {
    block_on(async {
        let isolate = isolate(512 * MB).await;
        let error = ask(&isolate, "diagnostics.fail", json!({"depth": 2})).await.unwrap_err();
        let EngineError::Js { name, message, stack } = error else { panic!("{error:?}") };
        assert_eq!((name.as_str(), message.as_str()), ("RangeError", "diagnostic failure"));
        let source = std::fs::read_to_string(root().join("js/diagnostics.ts")).unwrap();
        let line = 1 + source.lines().position(|l| l.contains("throw new RangeError")).unwrap();
        assert!(stack.contains(&format!("devtools-mcp:///js/diagnostics.ts:{line}:")), "line {line} in\n{stack}");
        assert!(stack.contains("devtools-mcp:///js/host/service.ts:"), "{stack}");
        // The isolate goes on.
        assert_eq!(ask(&isolate, "diagnostics.print", json!({})).await.unwrap(), "printed");
    });
}

#[test]
fn what_a_host_without_a_browser_lacks_is_a_named_error() {
    block_on(async {
        let isolate = isolate(512 * MB).await;
        let error = ask(&isolate, "diagnostics.absent", json!({})).await.unwrap_err();
        assert!(
            matches!(&error, EngineError::Js { name, message, .. }
                if name == "NotInThisHost" && message == "fetch(http://127.0.0.1/) is not available in the devtools-mcp engine"),
            "{error:?}"
        );
        let error = ask(&isolate, "diagnostics.nothing", json!({})).await.unwrap_err();
        assert_eq!(error.to_string(), "the engine has no method diagnostics.nothing");
        let globals = ask(&isolate, "diagnostics.globals", json!({})).await.unwrap();
        for name in ["URL", "EventTarget", "structuredClone", "MessageChannel", "performance", "crypto", "DOMRect"] {
            assert!(globals.as_array().unwrap().contains(&name.into()), "{name}");
        }
    });
}

#[test]
fn calls_of_one_isolate_run_side_by_side() {
    block_on(async {
        let isolate = isolate(512 * MB).await;
        let slow = isolate.call::<Value>(Call::new("diagnostics.sleep", json!({"milliseconds": 60_000})));
        let quick = isolate.call::<Value>(Call::new("diagnostics.sleep", json!({"milliseconds": 1})));
        tokio::select! {
            _ = slow => panic!("the slow call was first"),
            quick = quick => assert_eq!(quick.unwrap(), "slept"),
        }
    });
}

#[test]
fn a_busy_loop_ends_at_its_deadline() {
    block_on(async {
        let isolate = isolate(512 * MB).await;
        let waiting = isolate.clone();
        let bystander = tokio::spawn(async move { ask(&waiting, "diagnostics.never", json!({})).await.unwrap_err() });
        tokio::time::sleep(Duration::from_millis(50)).await;
        let call = Call { deadline: Duration::from_millis(200), ..Call::new("diagnostics.spin", json!({})) };
        let start = Instant::now();
        let error = isolate.call::<Value>(call).await.unwrap_err();
        assert!(matches!(error, EngineError::Deadline { .. }), "{error:?}");
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(isolate.is_ended());
        assert!(matches!(bystander.await.unwrap(), EngineError::Ended { .. }));
        assert!(matches!(ask(&isolate, "diagnostics.print", json!({})).await, Err(EngineError::Ended { .. })));
    });
}

#[test]
fn a_busy_loop_can_be_cancelled() {
    block_on(async {
        let isolate = isolate(512 * MB).await;
        let cancel = CancellationToken::new();
        let trigger = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            trigger.cancel();
        });
        let call = Call { cancel, ..Call::new("diagnostics.spin", json!({})) };
        let error = isolate.call::<Value>(call).await.unwrap_err();
        assert!(matches!(error, EngineError::Cancelled), "{error:?}");
    });
}

#[test]
fn running_out_of_memory_ends_the_isolate_and_nothing_else() {
    block_on(async {
        let other = isolate(512 * MB).await;
        for method in ["diagnostics.exhaust", "diagnostics.exhaustWithoutCalls"] {
            let isolate = isolate(64 * MB).await;
            let error = ask(&isolate, method, json!({})).await.unwrap_err();
            assert!(
                matches!(error, EngineError::OutOfMemory { limit_bytes } if limit_bytes == 64 * MB),
                "{method}: {error:?}"
            );
            assert!(isolate.is_ended());
        }
        assert_eq!(ask(&other, "diagnostics.print", json!({})).await.unwrap(), "printed");
    });
}

#[test]
fn the_formatter_runs_in_a_worker_isolate() {
    block_on(async {
        let isolate = isolate(512 * MB).await;
        let params = json!({"mimeType": "text/javascript", "content": "function f(a){if(a){return'größe'}}"});
        let formatted = ask(&isolate, "diagnostics.format", params).await.unwrap();
        assert_eq!(formatted, "function f(a) {\n  if (a) {\n    return 'größe'\n  }\n}\n");
        let css = json!({"mimeType": "text/css", "content": "a{color:red}"});
        assert_eq!(ask(&isolate, "diagnostics.format", css).await.unwrap(), "a {\n  color: red\n}\n");
    });
}

/// The front-end loads a heap snapshot in one worker, computes dominators in a second one, and connects the two by a
/// port that is transferred through the first worker's structured clone.
#[test]
fn workers_exchange_ports() {
    let own = r#"{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],
        "node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic","concatenated string","sliced string","symbol","bigint"],"string","number","number","number","number","number"],
        "edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],
        "trace_function_info_fields":[],"trace_node_fields":[],"sample_fields":[],"location_fields":[]},"node_count":3,"edge_count":2,"trace_function_count":0},
        "nodes":[9,0,1,0,1,0,0, 3,1,3,24,1,0,0, 3,2,5,16,0,0,0],"edges":[1,1,7, 2,3,14],"trace_function_infos":[],"trace_tree":[],"samples":[],"locations":[],"strings":["","Größe","B","x"]}"#;
    let mut snapshots = vec![own.to_owned()];
    if let Ok(text) = std::fs::read_to_string(root().join(Path::new("../shared/fixtures/heap/example.heapsnapshot"))) {
        snapshots.push(text);
    }
    for text in snapshots {
        let snapshot: Value = serde_json::from_str(&text).unwrap();
        let fields = snapshot["snapshot"]["meta"]["node_fields"].as_array().unwrap();
        let self_size = fields.iter().position(|f| f == "self_size").unwrap();
        let nodes = snapshot["nodes"].as_array().unwrap();
        let sum: u64 = nodes.iter().skip(self_size).step_by(fields.len()).map(|n| n.as_u64().unwrap()).sum();
        // Native memory that belongs to no node is counted in the total.
        let sum = sum + snapshot["snapshot"]["extra_native_bytes"].as_u64().unwrap_or(0);
        let count = (nodes.len() / fields.len()) as u64;
        let answer = block_on(async {
            ask(&isolate(1024 * MB).await, "diagnostics.heapStatistics", json!({"text": text})).await.unwrap()
        });
        assert_eq!(answer["nodeCount"], count);
        assert_eq!(answer["total"], sum, "{answer}");
    }
}

#[test]
fn many_isolates_start_at_the_same_instant() {
    block_on(async {
        for _ in 0..10 {
            let starts = (0..8).map(|_| async {
                let isolate = isolate(256 * MB).await;
                ask(&isolate, "diagnostics.print", json!({})).await.unwrap()
            });
            let answers = futures_util::future::join_all(starts).await;
            assert!(answers.iter().all(|a| a == "printed"));
        }
    });
}
