//! Integration tests: the real binary over real MCP stdio and the command line, real Chrome, real files, the same
//! front-end under Node and the original server as oracles. One binary, since every test binary links V8.

mod additions;
mod cases;
mod cli;
mod comments;
mod config;
mod conformance;
mod connect;
mod differential;
mod drills;
mod engine;
mod heap;
mod manners;
mod mcp;
mod pages;
mod peer;
mod recorded;
mod recordings;
mod soak;
mod styles;
mod support;
mod tabs;
mod tls;
mod tools;
mod traces;
mod transcripts;
